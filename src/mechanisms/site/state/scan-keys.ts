import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { byteStringOf, listOf } from "../../../ports/resp/reply.ts";
import { askEngine } from "./ask-engine.ts";
import type { SiteSlice } from "../saved/slice.ts";
import type { Pacing } from "./pacing.ts";

/** Every key of the slice that the engine holds all the while, some at a time; a key may come twice. */
export async function* scanKeys(
  client: EngineClient,
  { holds }: Pick<SiteSlice, "holds">,
): AsyncGenerator<readonly string[]> {
  for (let cursor = "0"; ;) {
    const reply = await client.call("SCAN", cursor, "COUNT", COUNT);
    const [next = "0", keys = []] = Array.isArray(reply) ? reply : [];
    yield Array.isArray(keys) ? keys.map(byteStringOf).filter(holds) : [];
    cursor = byteStringOf(next);
    if (cursor === "0") return;
  }
}

/** Keys that are asked for at once. */
const COUNT = 100;

/** As `scanKeys`, and leaves the engine alone behind each question as `pace` does it. */
export async function* scanPaced(
  client: EngineClient,
  { holds, atOnce }: Pick<SiteSlice, "holds"> & { readonly atOnce: number },
  pace: Pacing,
): AsyncGenerator<readonly string[]> {
  for (let cursor = "0"; ;) {
    const from = cursor;
    const [next = null, keys = null] = listOf(
      await pace(() => askEngine(client, "SCAN", from, "COUNT", String(atOnce))),
    );
    yield listOf(keys).map(byteStringOf).filter(holds);
    cursor = byteStringOf(next);
    if (cursor === "0") return;
  }
}
