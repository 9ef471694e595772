import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { mkdir, mkdtempDisposable, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { callInstance, superviseNode } from "../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";
import { lastWarnings } from "./engine-log.ts";
import { instanceFiles } from "./instance-files.ts";

const MEBIBYTE = 1024 * 1024;
const FLOOD = "for i = 1, 100000 do redis.log(redis.LOG_WARNING, string.rep('x', 900)) end return 'done'";

test("a script that writes into the log in a loop does not fill the disk, and the log goes on", async () => {
  await using node = await superviseNode();
  const wanted = node.primary();
  await node.serve(wanted);
  const { directory } = instanceFiles(node.data, 1, 1);
  for (let round = 0; round < 3; round++) await callInstance(wanted, "EVAL", FLOOD, "0").catch(() => undefined);
  const size = async (): Promise<number> => {
    // one that is renamed between the two looks is counted at the next
    const sizes = globSync(`${directory}/engine.log*`).map((path) =>
      stat(path).then(
        ({ size: bytes }) => bytes,
        () => 0,
      ),
    );
    return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  };
  await until("its logs are short", async () => (await size()) <= 2 * MEBIBYTE);
  await until("the engine has ended its script", () => callInstance(wanted, "PING").then(Boolean, () => false));
  // the end of the flood may be cut off together with the first of these lines
  await until("it writes on", async () => {
    await callInstance(wanted, "EVAL", "redis.log(redis.LOG_WARNING, 'after the flood')", "0");
    return (await lastWarnings(instanceFiles(node.data, 1, 1))).includes("after the flood");
  });
  assert.equal(node.report().restarts, 0);
});

test("the last words of an engine are its own, and what it warns of at each start takes no room from them", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "store-log-"));
  const files = { logFile: join(folder.path, "engine.log") };
  const write = (...texts: readonly string[]) =>
    writeFile(files.logFile, texts.map((text) => `7:M 01 Jan 2026 00:00:00.000 ${text}\n`).join(""));
  const failed = ["# Module a.so failed to load: file too short", "# Can't load module from a.so: server aborting"];
  await write(`# WARNING ${"x".repeat(400)}`, "* starting", ...failed);
  const said = "Module a.so failed to load: file too short; Can't load module from a.so: server aborting";
  assert.equal(await lastWarnings(files), said);
  await write("# first", ...failed);
  assert.equal(await lastWarnings(files), `first; ${said}`);
  await writeFile(
    files.logFile,
    "6:M 01 Jan 2026 00:00:00.000 # of one before\n7:M 01 Jan 2026 00:00:00.000 # its own\n",
  );
  assert.equal(await lastWarnings(files), "its own");
});

test("a log of any size keeps no engine from its start", async () => {
  await using node = await superviseNode();
  const { logFile } = instanceFiles(node.data, 1, 1);
  await mkdir(dirname(logFile), { recursive: true });
  await writeFile(logFile, "1:M 01 Jan 2026 00:00:00.000 # the beginning\n");
  await truncate(logFile, 700 * MEBIBYTE);
  await node.serve(node.primary());
  assert.ok((await stat(logFile)).size < MEBIBYTE);
  assert.ok((await stat(`${logFile}.old`)).size <= MEBIBYTE);
});
