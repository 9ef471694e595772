import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { textOf } from "../../../src/ports/resp/reply.ts";
import { enginePair } from "../engines/engine.ts";
import { restartFromDisk, startSiteEngine, type KeptEngine } from "./kept-engine.ts";

const SOURCE = join(import.meta.dirname, "slow-sync.c");
const PATIENCE = { withinMs: 60_000, everyMs: 5 };

test("an engine that is killed while its disk syncs starts again with all that it had answered", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "kept-engine-"));
  const library = join(folder.path, "slow-sync.so");
  execFileSync("gcc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"]);
  process.env["LD_PRELOAD"] = library;
  await using engine = await startSiteEngine(enginePair()[0], folder.path);
  delete process.env["LD_PRELOAD"];
  const answered = await writeUntilHeldBack(engine);
  await using again = await restartFromDisk(engine);
  assert.equal(textOf(await again.call("GET", "counter")), String(answered));
});

/** The answer says how often it has written. */
async function writeUntilHeldBack(engine: KeptEngine): Promise<number> {
  const client = await engine.connect();
  let answered = 0;
  const isHeldBack = async (): Promise<boolean> => {
    answered = Number(await client.call("INCR", "counter"));
    const info = textOf(await client.call("INFO", "persistence"));
    return /aof_pending_bio_fsync:[1-9]/.test(info) && !/aof_buffer_length:0\b/.test(info);
  };
  try {
    await until("the engine holds back what it has answered", isHeldBack, PATIENCE);
    return answered;
  } finally {
    client.close();
  }
}
