import assert from "node:assert/strict";
import { LINK_DATABASE, LINK_KEYS } from "../../../src/mechanisms/site/saved/marks.ts";
import { byteStringOf, listOf } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";

/** The entries that a link has saved in its engine since its checkpoint. */
export async function logOf(engine: TestEngine): Promise<readonly string[]> {
  const read = `redis.call("SELECT", ${LINK_DATABASE}) return redis.call("LRANGE", "${LINK_KEYS.log}", 0, -1)`;
  return listOf(await engine.call("EVAL", read, 0)).map(byteStringOf);
}

/** Takes from the log of a link that has ended what came after the transaction with that entry, as if it had ended then. */
export async function endLog(engine: TestEngine, last: (entries: readonly string[]) => number): Promise<void> {
  const entries = await logOf(engine);
  const from = last(entries);
  const end = entries.findIndex((entry, index) => index >= from && isPlace(entry));
  assert.ok(from >= 0 && end >= 0, "the log has the entry");
  await engine.call(
    "EVAL",
    `redis.call("SELECT", ${LINK_DATABASE}) redis.call("LTRIM", "${LINK_KEYS.log}", 0, ${end})`,
    0,
  );
}

/** Whether the entry says how far the stream is captured. */
export function isPlace(entry: string): boolean {
  return entry.startsWith("P");
}
