import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { endsOf, timesAsked, unacknowledgedConnections, unacknowledgedIn } from "./tcp-table.ts";

const HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const TABLE = `${HEAD}   0: 0100007F:2EE0 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:2EE0 0200007F:9C40 01 0000000E:00000000 01:00000014 0000000B     0        0 2 1 0 20 4 30 10 -1
   2: 0100007F:2EE0 0300007F:9C41 01 00000000:00000000 02:00000014 00000000     0        0 3 1 0 20 4 30 10 -1
12345: 0100007F:2EE0 0400007F:9C42 01 00010000:00000000 04:00000014 00000000     0        5 4 1 0 20 4 30 10 -1
`;
const WIDE = `${HEAD}   0: 0000000000000000FFFF00000100007F:2EE0 000080FE00000000FF005450B6AD1DFE:9C40 01 0000000E:00000000 01:00000014 00000003     0        0 2
`;

test("connections that wait for an acknowledgement: those that the kernel asks for one, and how often it has", () => {
  assert.deepEqual(connectionsIn(TABLE, 8), [
    { local: "127.0.0.1:12000", remote: "127.0.0.2:40000", asked: 11 },
    { local: "127.0.0.1:12000", remote: "127.0.0.4:40002", asked: 5 },
  ]);
});

test("connections that wait for an acknowledgement: addresses are written as Node.js writes them", () => {
  assert.deepEqual(connectionsIn(WIDE, 32), [
    { local: "::ffff:127.0.0.1:12000", remote: "fe80::5054:ff:fe1d:adb6:40000", asked: 3 },
  ]);
});

test("the kernel counts how often it asks again", { skip: process.platform !== "linux" && "Linux alone" }, async () => {
  assert.match((await timesAsked()) ?? "", /^\d+ \d+$/);
});

test("connections that wait for an acknowledgement: everything else has its turn while the kernel writes them", async (context) => {
  if (process.platform === "win32") return context.skip("it has no pipes with names");
  const folder = mkdtempSync(join(tmpdir(), "store-tables-"));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  execFileSync("mkfifo", [join(folder, "tcp"), join(folder, "tcp6")]);
  const found = Array.fromAsync(unacknowledgedConnections(folder));
  const writer = await open(join(folder, "tcp"), "w");
  // half a row, then nothing: who reads it on this thread waits for what this thread alone can write
  await writer.write(TABLE.slice(0, HEAD.length + 20));
  await nextTurn();
  await writer.write(TABLE.slice(HEAD.length + 20));
  await writer.close();
  await writeFile(join(folder, "tcp6"), WIDE);
  assert.deepEqual(
    (await found).flat().map(({ asked }) => asked),
    [11, 5, 3],
  );
});

function connectionsIn(text: string, width: 8 | 32) {
  return unacknowledgedIn(Buffer.from(text), width).map((one) => ({ ...endsOf(one), asked: one.asked }));
}
