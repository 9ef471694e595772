import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { byteStringOf, listOf } from "../../../ports/resp/reply.ts";
import { askEngine } from "./ask-engine.ts";
import type { Pacing } from "./pacing.ts";

/** Every key that the engine holds all the while, some at a time; a key may come twice. */
export async function* scanKeys(client: EngineClient, atOnce = COUNT): AsyncGenerator<readonly string[]> {
  for (let cursor = "0"; ;) {
    const reply = await client.call("SCAN", cursor, "COUNT", atOnce);
    const [next = "0", keys = []] = Array.isArray(reply) ? reply : [];
    yield Array.isArray(keys) ? keys.map(byteStringOf) : [];
    cursor = byteStringOf(next);
    if (cursor === "0") return;
  }
}

/** Keys that are asked for at once, unless it is said. */
const COUNT = 100;

/** As `scanKeys`, and leaves the engine alone behind each question as `pace` does it. */
export async function* scanPaced(
  client: EngineClient,
  atOnce: number,
  pace: Pacing,
): AsyncGenerator<readonly string[]> {
  for (let cursor = "0"; ;) {
    const from = cursor;
    const [next = null, keys = null] = listOf(
      await pace(() => askEngine(client, "SCAN", from, "COUNT", String(atOnce))),
    );
    yield listOf(keys).map(byteStringOf);
    cursor = byteStringOf(next);
    if (cursor === "0") return;
  }
}
