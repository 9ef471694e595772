import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const TALKS = `setInterval(() => console.log("one more line"), 1);`;

test("a script whose reader has seen enough ends without a word", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "setup-"));
  const file = join(folder.path, "talks.mjs");
  await writeFile(file, TALKS);
  const script = spawn(process.execPath, ["scripts/setup.mjs", relative(ROOT, file)], { cwd: ROOT });
  const said = text(script.stderr);
  const ended = once(script, "exit");
  await once(script.stdout, "data");
  script.stdout.destroy();
  assert.deepEqual([(await ended)[0], await said], [0, ""]);
});
