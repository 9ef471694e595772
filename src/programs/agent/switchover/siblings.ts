import type { DatabaseRecord } from "../../../core/api/records.ts";
import { siblingsOf } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { attachAll } from "./after-promotion.ts";
import type { ShardPorts } from "./ports.ts";

/** For asking the siblings while clients wait, in milliseconds; one that does not answer in time is attached later. */
const ATTACH_MS = 100;

/**
 * Lets the other replicas follow the target before it is promoted. The old primary may ping its replicas, and a ping after the promotion is not
 * in the stream of its successor: the old primary and its replicas would need all data again. A primary without replicas sends nothing.
 */
export async function moveSiblings(
  record: DatabaseRecord,
  move: SwitchoverMove,
  target: EnginePlace,
  ports: ShardPorts,
): Promise<void> {
  const siblings = siblingsOf(record, move);
  if (siblings.length === 0) return;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, ATTACH_MS, undefined);
  await Promise.race([attachAll(siblings, target, ports), late.promise]);
  clearTimeout(timer);
}

/** Lets the siblings follow the old primary again; a sibling that does not answer is attached when it does. */
export async function returnSiblings(
  record: DatabaseRecord,
  move: SwitchoverMove,
  primary: EnginePlace,
  ports: ShardPorts,
): Promise<void> {
  await attachAll(siblingsOf(record, move), primary, ports);
}
