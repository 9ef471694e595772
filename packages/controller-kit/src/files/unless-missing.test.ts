import assert from "node:assert/strict";
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parseJson } from "../base/json.ts";
import { signalProcess } from "../processes/signal-process.ts";
import { unlessMissing } from "./unless-missing.ts";

test("a file that is missing is undefined, also below a file; another error passes", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "missing-"));
  const file = join(folder.path, "file");
  writeFileSync(file, "text");
  assert.equal(await unlessMissing(readFile(file, "utf8")), "text");
  assert.equal(await unlessMissing(readFile(join(folder.path, "other"), "utf8")), undefined);
  assert.equal(await unlessMissing(readdir(join(file, "below"))), undefined);
  await assert.rejects(unlessMissing(readFile(folder.path, "utf8")), { code: "EISDIR" });
});

test("a signal reaches a process that there is, and no other; a wrong name passes", () => {
  assert.equal(signalProcess(process.pid, 0), true);
  assert.equal(signalProcess(2 ** 30, 0), false);
  assert.throws(() => signalProcess(process.pid, "SIGNONE" as NodeJS.Signals), { code: "ERR_UNKNOWN_SIGNAL" });
});

test("a text that is no JSON has no value", () => {
  assert.deepEqual(parseJson('{"a":[1]}'), { a: [1] });
  assert.equal(parseJson("null"), null);
  assert.equal(parseJson(""), undefined);
  assert.equal(parseJson("{"), undefined);
});
