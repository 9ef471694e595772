import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { begin, isUnderWay } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { faults } from "../faults.ts";
import type { ProxyCommand } from "../../../ports/management/proxy-control.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import type { ProxyPort, ShardPorts } from "./ports.ts";
import { failedNodes, sendToProxies } from "./proxies.ts";

/**
 * Fences a primary that is cut off: from then on no proxy acknowledges what it replies. The intent comes first: a node that
 * comes back later reads it before its proxy acknowledges anything. Then each proxy confirms that it has left the primary,
 * or its node proves to be fenced. AGENT_NOT_FENCED otherwise; the intent stays, and the next attempt goes on
 * with it in the same epoch, or takes it back when the primary is reached again.
 */
export async function fenceOldPrimary(record: DatabaseRecord, move: SwitchoverMove, ports: ShardPorts): Promise<void> {
  await intend(record, move, ports, true);
  const nodes = await nodesInDoubt(ports.proxies, { op: "fence", ...nameShard(record, move.shard), epoch: move.epoch });
  if (nodes.length === 0) return;
  throw new Fault(
    faults.notFenced,
    `the proxies of nodes ${nodes.join(", ")} may still acknowledge what the primary of database ${record.uid} replies`,
    { bdb: record.uid, nodes },
  );
}

/** Nodes whose proxy has not confirmed the command, and may acknowledge something nevertheless. */
export async function nodesInDoubt(proxies: readonly ProxyPort[], command: ProxyCommand): Promise<readonly number[]> {
  const dead = proxies.filter((proxy) => proxy.isDead());
  const alive = proxies.filter((proxy) => !dead.includes(proxy));
  const unconfirmed = failedNodes(await sendToProxies(alive, command));
  const doubtful = [...dead, ...alive.filter(({ node }) => unconfirmed.includes(node))];
  const fenced = await Promise.all(doubtful.map((proxy) => proxy.isFenced()));
  return doubtful.filter((_, i) => fenced[i] !== true).map(({ node }) => node);
}

/**
 * Writes the intent of a failover; AGENT_RECORD_MOVED unless the primary and the set of replicas in sync are those that the
 * decision rests on. From then on the set does not change. The intent of an attempt before that did not get through is gone on with, by whichever
 * leader: all of them promote the same target, and nothing is written.
 */
export async function intend(
  record: DatabaseRecord,
  move: SwitchoverMove,
  ports: ShardPorts,
  forced: boolean,
): Promise<void> {
  const setOf = ({ shards }: DatabaseRecord): string =>
    JSON.stringify(shards.find(({ id }) => id === move.shard)?.inSync);
  let begun = false;
  await ports.change((stored) => {
    const next = setOf(stored) === setOf(record) ? beginOrGoOn(stored, move, forced) : undefined;
    begun = next !== undefined;
    return next ?? stored;
  });
  if (!begun)
    throw new Fault(faults.recordMoved, `the record of database ${record.uid} has changed`, { bdb: record.uid });
}

function beginOrGoOn(stored: DatabaseRecord, move: SwitchoverMove, forced: boolean): DatabaseRecord | undefined {
  const begun = stored.shards.find(({ id }) => id === move.shard)?.switchover;
  return begun?.forced === true && isUnderWay(stored, move) ? stored : begin(stored, move, forced);
}
