import type { DatabaseRecord, InstanceRecord } from "../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { hasEveryReply } from "../../../core/planner/database/in-sync.ts";
import { shardName } from "../../../core/planner/database/facts.ts";
import { lossSentence } from "../../../core/planner/database/loss.ts";
import { instanceOf, isDone, moveTo, siblingsOf, recordSuccession } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { faults } from "../faults.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { withLoss, withWaitReason } from "../../../core/records/changes.ts";
import { awaitDrained, placeOf, promote, reasonOf, resumeWrites, withEngine } from "./engines.ts";
import { attach } from "./former-primary.ts";
import { attachAll, demoteTarget } from "./after-promotion.ts";
import type { ShardPorts } from "./ports.ts";
import { failedNodes, releaseTo, sendToProxies } from "./proxies.ts";
import { fenceOldPrimary, intend } from "./fence.ts";

/**
 * How often a replica is looked at in vain before it counts as having received all. The link of a process that has ended goes
 * down after its last byte or what the replica acknowledges to it, which a machine that is short of processor time may send seconds late; that of a primary that is cut off may stay up without bytes.
 */
const QUIET_LOOKS = { ended: 1_000, "cut-off": 60 };

/** A primary that is dead, and the replica that takes over. */
export interface FailoverRequest {
  readonly record: DatabaseRecord;
  readonly shard: number;
  readonly to: number;
  /** Why the old primary acknowledges no more writes; asked again right before the promotion. */
  readonly proof: () => Promise<"ended" | "cut-off" | undefined>;
  /** Whether what it kept is gone, by what `proof` saw last; for the report. */
  readonly dataIsGone: () => boolean;
  /** Its last known offset, for the report. */
  readonly lastSeen?: { readonly offset: number; readonly agoMs: number };
}

export interface FailoverResult {
  readonly record: DatabaseRecord;
  /** The sentence that was added to the record; empty when the replica has every acknowledged write. */
  readonly loss: string;
  readonly unreleased: readonly number[];
  readonly unattached: readonly number[];
}

/**
 * Makes a replica primary because the primary is dead: the replica takes in all that it has received, then promotion, record
 * with the next epoch, clients, the other replicas.
 * A primary that is cut off may come back and is fenced first. No client is sent to the new primary before the record names
 * it; a leader that finds an unfinished failover finds a promoted replica, and goes on with that one. AGENT_NOT_FENCED when
 * the old primary may still take writes; AGENT_RECORD_MOVED when another leader was first: then the target is demoted.
 */
export async function failOver(
  request: FailoverRequest,
  ports: ShardPorts & { readonly clock: Clock },
): Promise<FailoverResult> {
  const { record } = request;
  const { move, successor, address } = requireSuccessor(request, ports);
  const waited = ports.syncOf(record, move.shard) !== undefined;
  const end = await requireEnd(request);
  if (end === "cut-off") await fenceOldPrimary(record, move, ports);
  // a replica that leaves the set now must not be promoted for having been in it
  else if (waited) await intend(record, move, ports, false);
  const { offset } = await withEngine(address, async (engine) => {
    // a replica whose clients are paused applies nothing of what it has received, whoever paused them
    await resumeWrites(engine);
    const view = await awaitDrained(engine, ports.clock, QUIET_LOOKS[end]);
    await promote(engine);
    return view;
  });
  const target = placeOf(address);
  const isComplete = waited && record.shards.some((shard) => shard.id === move.shard && hasEveryReply(shard, move.to));
  const loss = isComplete ? "" : lossSentence(successionFacts(request, move, successor, offset, ports.clock));
  const stored = await ports.change((current) => withSuccession(current, move, loss));
  if (!isDone(stored, move)) return demoteTarget(move, stored, address, ports);
  const release = releaseTo(target, move, stored, ports);
  const unreleased = failedNodes(await sendToProxies(ports.proxies, release));
  const unattached = await attachAll(siblingsOf(stored, move), target, ports);
  const demoted = demoteIfAlive(stored, move, target, ports);
  // a primary that is cut off does not answer soon, and other databases of its node wait for their turn
  if (end === "ended") await demoted;
  ports.log.warn("failed over", { bdb: record.uid, ...move, loss, unreleased, unattached });
  return { record: stored, loss, unreleased, unattached };
}

/** AGENT_RECORD_MOVED when the record has no such instance any more, or none that can be reached. */
function requireSuccessor({ record, shard, to }: FailoverRequest, { addressOf }: Pick<ShardPorts, "addressOf">) {
  const move = moveTo(record, shard, to);
  const successor = move === undefined ? undefined : instanceOf(record, move, move.to);
  const address = successor === undefined ? undefined : addressOf(successor);
  if (move === undefined || successor === undefined || address === undefined)
    throw new Fault(faults.recordMoved, `instance ${to} cannot take over database ${record.uid}`, { to });
  return { move, successor, address };
}

/** Idempotent: the loss is reported once, with the change of the primary. */
function withSuccession(current: DatabaseRecord, move: SwitchoverMove, loss: string): DatabaseRecord {
  const next = recordSuccession(current, move);
  return next === current ? current : withWaitReason(loss === "" ? next : withLoss(next, loss), "");
}

async function requireEnd({ record, proof }: FailoverRequest): Promise<"ended" | "cut-off"> {
  const found = await proof();
  if (found !== undefined) return found;
  throw new Fault(faults.notFenced, `the primary of database ${record.uid} may still take writes`, { bdb: record.uid });
}

/** A process that was reported dead may run nevertheless: when it answers, it becomes a replica at once. */
async function demoteIfAlive(
  record: DatabaseRecord,
  move: SwitchoverMove,
  target: EnginePlace,
  ports: ShardPorts,
): Promise<void> {
  const old = instanceOf(record, move, move.from);
  const address = old === undefined ? undefined : ports.addressOf(old);
  if (address === undefined) return;
  try {
    await withEngine(address, (engine) => attach(engine, target));
  } catch (error) {
    ports.log.debug("the old primary does not answer, as expected", { reason: reasonOf(error) });
  }
}

function successionFacts(
  { record, lastSeen, dataIsGone }: FailoverRequest,
  move: SwitchoverMove,
  successor: InstanceRecord,
  heirOffset: number,
  clock: Clock,
): Parameters<typeof lossSentence>[0] {
  return {
    shard: shardName(record, move.shard),
    at: clock.now().toISOString(),
    oldNode: instanceOf(record, move, move.from)?.node ?? 0,
    newNode: successor.node,
    lastSeenOffset: lastSeen?.offset,
    seenAgoMs: lastSeen?.agoMs ?? 0,
    heirOffset,
    dataIsGone: dataIsGone(),
  };
}
