import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "../../../core/base/fault.ts";
import { begin } from "../../../core/planner/database/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/planner/database/switchover-record.ts";
import { faults } from "../faults.ts";
import type { ShardPorts } from "./ports.ts";
import { failedNodes, tellProxies } from "./proxies.ts";

/**
 * Makes sure that nothing which a cut-off primary still says is acknowledged any more. The intent comes first: a node that
 * comes back from then on reads it before its proxy acknowledges anything. Then each proxy confirms that it has left the
 * primary, or its node proves to be silent. AGENT_NOT_FENCED otherwise; the intent stays, and is resolved as any other.
 */
export async function shutOut(record: DatabaseRecord, move: SwitchoverMove, ports: ShardPorts): Promise<void> {
  await intend(record, move, ports);
  const [absent, present] = [true, false].map((gone) => ports.proxies.filter((proxy) => proxy.gone() === gone));
  const told = await tellProxies(present ?? [], { op: "fence", bdb: record.uid, epoch: move.epoch });
  const unsaid = failedNodes(told);
  const doubtful = [...(absent ?? []), ...ports.proxies.filter(({ node }) => unsaid.includes(node))];
  const silent = await Promise.all(doubtful.map((proxy) => proxy.isSilent()));
  const nodes = doubtful.filter((_, i) => silent[i] !== true).map(({ node }) => node);
  if (nodes.length === 0) return;
  throw new Fault(
    faults.notFenced,
    `the proxies of nodes ${nodes.join(", ")} may still acknowledge what the primary of database ${record.uid} says`,
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
