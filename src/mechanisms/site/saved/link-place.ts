import { setTimeout as sleep } from "node:timers/promises";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { parseInfo } from "../../../ports/resp/info.ts";
import { byteStringOf, listOf, type Reply } from "../../../ports/resp/reply.ts";
import { LINK_DATABASE, LINK_KEYS, PLACE_ASKED } from "./marks.ts";
import { placeIn, type Place } from "./place.ts";

const ASK_AGAIN_MS = 500;
const LOOK_MS = 20;

/**
 * True when a link would find at `replica`, should that take over, the part of the stream that it has not captured yet: a replica keeps only
 * what came since it got all data. Asks the link of the primary how far it is, and waits until that is enough.
 */
export async function linkCanFollow(primary: EngineClient, replica: EngineClient, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let askedAt = -Infinity; !(await reachesBack(replica)); await sleep(LOOK_MS)) {
    const now = performance.now();
    if (now >= deadline) return false;
    if (now - askedAt < ASK_AGAIN_MS) continue;
    // keys that are being read hold its place back, so that one answer may not be enough
    await inLinkDatabase(primary, ["SET", LINK_KEYS.mark, PLACE_ASKED]);
    askedAt = now;
  }
  return true;
}

async function reachesBack(replica: EngineClient): Promise<boolean> {
  const places = await savedPlaces(replica);
  if (places.length === 0) return true; // no link was ever here
  const info = parseInfo(byteStringOf(await replica.call("INFO", "replication")));
  const first = Number(info.get("repl_backlog_first_byte_offset"));
  // a primary that has started again from its disk has another stream, with other offsets
  return places.every(
    ({ replicationId, offset }) => replicationId === info.get("master_replid") && offset + 1 >= first,
  );
}

/** The last place of each link that follows the engine: of all keys, or of a slice. */
async function savedPlaces(replica: EngineClient): Promise<readonly Place[]> {
  const { log, checkpoint } = LINK_KEYS;
  const [found = null] = await inLinkDatabase(replica, ["KEYS", "site:*"]);
  const names = listOf(found).map(byteStringOf);
  const ends = names.flatMap((name) =>
    [log, checkpoint].flatMap((key) => (isOf(key, name) ? name.slice(key.length) : [])),
  );
  const places: Place[] = [];
  for (const end of new Set(ends)) {
    const [last = null] = await inLinkDatabase(replica, ["LINDEX", `${log}${end}`, "-1"]);
    const [saved = null] = last === null ? await inLinkDatabase(replica, ["HGET", `${checkpoint}${end}`, "place"]) : [];
    const text = last ?? saved;
    if (text !== null) places.push(placeIn(byteStringOf(text)));
  }
  return places;
}

function isOf(key: string, name: string): boolean {
  return name === key || name.startsWith(`${key}:`);
}

async function inLinkDatabase(client: EngineClient, command: readonly string[]): Promise<readonly Reply[]> {
  const replies = await Promise.all(
    [["SELECT", LINK_DATABASE], command, ["SELECT", 0]].map((args) => client.call(...args)),
  );
  return replies.slice(1);
}
