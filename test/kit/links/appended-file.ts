import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { listOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";

/** Where the engine appends. */
export async function appendedFile(engine: TestEngine | undefined): Promise<string> {
  const [, folder] = listOf((await engine?.call("CONFIG", "GET", "dir")) ?? []);
  const [file] = await Array.fromAsync(glob(`${String(folder)}/appendonlydir/*.incr.aof`));
  return file ?? assert.fail("it appends to a file");
}
