import type { Lane } from "../upstream/lane.ts";
import { copyInto, LENT_BYTES } from "../upstream/lent-memory.ts";
import type { SharedRoute } from "./shared-route.ts";
import { laneTo, type ShardWays } from "./shard-ways.ts";
import type { Weave } from "./weave.ts";

/**
 * Sends requests of several shards so that each shard gets its own together, when that makes fewer parts than to send them one run after the other;
 * false when it does not, or one of the shards takes none now.
 */
export function weaveRequests(ways: ShardWays, weave: Weave, bytes: Buffer): boolean {
  const { found, strands } = weave;
  if (found.changes < LEAST_CHANGES || found.end - found.start > LENT_BYTES) return false;
  if (!weave.arrange() || strands.count * 2 > found.changes + 1) return false;
  if (!findLanes(ways, weave) || !ways.replies.weave(weave)) return false;
  for (let strand = 0; strand < strands.count; strand++) {
    const [shared, lane] = [SHARED[strand], LANES[strand]];
    if (shared === undefined || lane === undefined) throw new Error("a strand has no way");
    const run = weave.runOf(strand, shared, ways.replies);
    const count = gather(weave, strand, bytes);
    shared.waitedSince = 0;
    shared.push(lane, count, GATHERED, gatheredBytes, 0, run);
  }
  return true;
}

/** Finds the way and the lane of each strand; false when one of them takes no requests now. */
function findLanes(ways: ShardWays, { strands, found }: Weave): boolean {
  for (let strand = 0; strand < strands.count; strand++) {
    const way = ways.wayTo(found.shards[strands.heads[strand] ?? 0] ?? 0);
    const lane = laneTo(way);
    if (lane === undefined) return false;
    SHARED[strand] = way.shared;
    LANES[strand] = lane;
  }
  return true;
}

/** Copies the requests of a strand behind each other; how many they are. */
function gather(
  { found: { ends, start, count }, strands: { heads, nexts } }: Weave,
  strand: number,
  bytes: Buffer,
): number {
  let gathered = 0;
  gatheredBytes = 0;
  for (let at = heads[strand] ?? 0; at < count;) {
    const from = at === 0 ? start : (ends[at - 1] ?? 0);
    let last = at;
    for (gathered++; (at = nexts[last] ?? 0) === last + 1 && at < count; gathered++) last = at;
    gatheredBytes += copyInto(GATHERED, gatheredBytes, bytes, from, ends[last] ?? from);
  }
  return gathered;
}

/** Fewer cost less as they are. */
const LEAST_CHANGES = 4;
/** For all clients of the process, in turn: of each strand its way and its lane; and the requests of one strand. */
const SHARED: SharedRoute[] = [];
const LANES: Lane[] = [];
const GATHERED = Buffer.allocUnsafeSlow(LENT_BYTES);
let gatheredBytes = 0;
