import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "../../../core/base/fault.ts";
import { begin } from "../../../core/planner/database/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/planner/database/switchover-record.ts";
import { faults } from "../faults.ts";
import type { ShardPorts } from "./ports.ts";
import { failedNodes, sendToProxies } from "./proxies.ts";

/**
 * Fences a primary that is cut off: from then on no proxy acknowledges what it replies. The intent comes first: a node that
 * comes back later reads it before its proxy acknowledges anything. Then each proxy confirms that it has left the primary,
 * or its node proves to be fenced. AGENT_NOT_FENCED otherwise; the intent stays, and is resolved as every other intent is.
 */
export async function fenceOldPrimary(record: DatabaseRecord, move: SwitchoverMove, ports: ShardPorts): Promise<void> {
  await intend(record, move, ports);
  const dead = ports.proxies.filter((proxy) => proxy.isDead());
  const alive = ports.proxies.filter((proxy) => !dead.includes(proxy));
  const outcomes = await sendToProxies(alive, { op: "fence", bdb: record.uid, epoch: move.epoch });
  const unconfirmed = failedNodes(outcomes);
  const doubtful = [...dead, ...alive.filter(({ node }) => unconfirmed.includes(node))];
  const fenced = await Promise.all(doubtful.map((proxy) => proxy.isFenced()));
  const nodes = doubtful.filter((_, i) => fenced[i] !== true).map(({ node }) => node);
  if (nodes.length === 0) return;
  throw new Fault(
    faults.notFenced,
    `the proxies of nodes ${nodes.join(", ")} may still acknowledge what the primary of database ${record.uid} replies`,
    { bdb: record.uid, nodes },
  );
}

async function intend(record: DatabaseRecord, move: SwitchoverMove, ports: ShardPorts): Promise<void> {
  let begun = false;
  await ports.change((stored) => {
    const next = begin(stored, move, true);
    begun = next !== undefined;
    return next ?? stored;
  });
  if (!begun)
    throw new Fault(faults.recordMoved, `the record of database ${record.uid} has changed`, { bdb: record.uid });
}
