import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ROOM = join(import.meta.dirname, "parent-channel.ts");

test("a child whose parent has ended sends into nothing, and ends in order", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "channel-"));
  const program = join(folder.path, "child.mjs");
  const lines = [
    `import { sendToParent } from ${JSON.stringify(ROOM)};`,
    `process.once("disconnect", () => { sendToParent(process, { late: true }); setImmediate(() => process.exit(0)); });`,
    `sendToParent(process, { ready: true });`,
  ];
  await writeFile(program, lines.join("\n"));
  const child = fork(program, { stdio: "ignore" });
  assert.deepEqual(await once(child, "message").then(([message]: unknown[]) => message), { ready: true });
  const gone = once(child, "exit");
  child.disconnect();
  assert.deepEqual(await gone, [0, null]);
});
