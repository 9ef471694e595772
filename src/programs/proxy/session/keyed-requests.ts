import { slotOf } from "../../../core/slots/slot.ts";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { lastHasOneKey } from "../protocol/commands.ts";
import type { RequestScanner } from "../protocol/request-scanner.ts";
import { classifyFor, type ClassifyingEndpoint } from "../protocol/site-commands.ts";
import { mayBeMoved, type PlacedClient } from "./moved-slots.ts";
import type { ShardWays } from "./shard-ways.ts";
import { ShardedRoute } from "./sharded-route.ts";
import type { SharedRoute } from "./shared-route.ts";

/** The parts of a session whose requests are forwarded by their keys. */
export interface KeyedParts {
  readonly shared: SharedRoute | ShardedRoute;
  readonly turns: { readonly isPlain: boolean };
  readonly identity: PlacedClient["identity"];
  readonly endpoint: PlacedClient["endpoint"] & ClassifyingEndpoint;
}

/**
 * The common case of several shards at full speed: forwards the requests that `bytes` begin with, as far as each has one key behind its name, and
 * as far as their shards take them now; the position behind them. Those of one shard that follow each other go together.
 */
export function forwardKeyed(parts: KeyedParts, scanner: RequestScanner, bytes: Buffer, length: number): number {
  const { shared, turns } = parts;
  return shared instanceof ShardedRoute && turns.isPlain ? forwardRuns(parts, shared.ways, scanner, bytes, length) : 0;
}

interface KeyedWays {
  readonly ways: ShardWays;
  /** A site refuses some commands that have one key. */
  readonly classify: ReturnType<typeof classifyFor>;
}

function forwardRuns(
  parts: KeyedParts,
  ways: ShardWays,
  scanner: RequestScanner,
  bytes: Buffer,
  length: number,
): number {
  const keyed = { ways, classify: classifyFor(parts.endpoint) };
  let at = 0;
  let start = 0;
  let count = 0;
  let room = 0;
  let shard = NO_SHARD;
  for (let past = 0; (past = scanner.plain(bytes, at, length)) !== INCOMPLETE; at = past) {
    const found = shardIn(keyed, bytes, scanner.nameAt, scanner.nameLength, past);
    const next = ifHere(parts, found, shard);
    if (next !== shard || count === room) {
      if (count > 0 && !ways.push(shard, count, bytes, start, at)) return start;
      shard = next;
      start = at;
      count = 0;
      room = ways.replies.room;
      if (room === 0) return at;
    }
    if (next === NO_SHARD) return at;
    count++;
  }
  return count > 0 && !ways.push(shard, count, bytes, start, at) ? start : at;
}

/** The shard of a request, which follows one for the shard `before`; NO_SHARD where it may be for another node. */
function ifHere(parts: KeyedParts, shard: number, before: number): number {
  return shard !== before && shard !== NO_SHARD && mayBeMoved(parts, shard) ? NO_SHARD : shard;
}

/** The place of the shard of a request whose name stands there; NO_SHARD for one that has not one key behind its name. */
function shardIn(
  { ways, classify }: KeyedWays,
  bytes: Buffer,
  nameAt: number,
  nameLength: number,
  past: number,
): number {
  if (classify(bytes, nameAt, nameLength) !== undefined || !lastHasOneKey()) return NO_SHARD;
  let at = nameAt + nameLength + LINE_END + 1;
  let size = 0;
  for (let byte = 0; at < past && (byte = bytes[at] ?? 0) !== CR; at++) size = size * 10 + byte - ZERO;
  const keyAt = at + LINE_END;
  // without a key the engine gives the error
  return keyAt + size > past ? NO_SHARD : (ways.table[slotOf(bytes, keyAt, keyAt + size)] ?? NO_SHARD);
}

const NO_SHARD = -1;
const [CR, ZERO] = [13, 48];
const LINE_END = 2;
