import { slotOf } from "../../../core/slots/slot.ts";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { lastHasOneKey } from "../protocol/commands.ts";
import { MOST_AT_ONCE, type FoundRequests } from "./found-requests.ts";
import type { RequestScanner } from "../protocol/request-scanner.ts";
import { classifyFor, type ClassifyingEndpoint } from "../protocol/site-commands.ts";
import { mayBeMoved, type PlacedClient } from "./moved-slots.ts";
import { laneTo, type ShardWays } from "./shard-ways.ts";
import { ShardedRoute } from "./sharded-route.ts";
import type { SharedRoute } from "./shared-route.ts";
import { takeWeave } from "./weave.ts";
import { weaveRequests } from "./weave-requests.ts";

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
  return shared instanceof ShardedRoute && turns.isPlain ? forwardAll(parts, shared.ways, scanner, bytes, length) : 0;
}

interface KeyedWays {
  readonly ways: ShardWays;
  /** A site refuses some commands that have one key. */
  readonly classify: ReturnType<typeof classifyFor>;
}

function forwardAll(
  parts: KeyedParts,
  ways: ShardWays,
  scanner: RequestScanner,
  bytes: Buffer,
  length: number,
): number {
  const keyed = { ways, classify: classifyFor(parts.endpoint) };
  for (let at = 0; ;) {
    const { found } = spare;
    found.begin(at);
    let shard = NO_SHARD;
    while (found.count < MOST_AT_ONCE) {
      const past = scanner.plain(bytes, found.end, length);
      if (past === INCOMPLETE) break;
      shard = ifHere(parts, shardIn(keyed, bytes, scanner.nameAt, scanner.nameLength, past), shard);
      if (shard === NO_SHARD) break;
      found.add(shard, past);
    }
    const { count, end } = found;
    if (count === 0) return at;
    const isWoven = weaveRequests(ways, spare, bytes);
    if (isWoven) spare = takeWeave();
    const sent = isWoven ? end : forwardRuns(ways, found, bytes);
    if (sent < end || count < MOST_AT_ONCE) return sent;
    at = sent;
  }
}

/** Sends the requests of one shard that follow each other together; the position behind those that could be sent. */
function forwardRuns(ways: ShardWays, { start: from, count, shards, ends }: FoundRequests, bytes: Buffer): number {
  let start = from;
  for (let first = 0; first < count;) {
    const { room } = ways.replies;
    if (room === 0) return start;
    const shard = shards[first] ?? 0;
    let past = first + 1;
    while (past < count && shards[past] === shard && past - first < room) past++;
    const end = ends[past - 1] ?? 0;
    if (!pushRun(ways, shard, past - first, bytes, start, end)) return start;
    start = end;
    first = past;
  }
  return start;
}

function pushRun(ways: ShardWays, shard: number, count: number, bytes: Buffer, start: number, end: number): boolean {
  const way = ways.wayTo(shard);
  const lane = laneTo(way);
  if (lane === undefined) return false;
  way.shared.waitedSince = 0;
  way.shared.push(lane, count, bytes, end, start, ways.replies.runOf(way.shared));
  return true;
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

/** For all clients of the process, in turn. */
let spare = takeWeave();
const NO_SHARD = -1;
const [CR, ZERO] = [13, 48];
const LINE_END = 2;
