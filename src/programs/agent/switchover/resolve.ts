import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { evaluateIntent } from "../../../core/planner/database/switchover-intent.ts";
import type { FormerFacts } from "../../../core/planner/database/switchover-intent.ts";
import {
  instanceOf,
  isUnderWay,
  moveBegun,
  takeBack,
  withLossReport,
} from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { faults } from "../faults.ts";
import {
  closeNamed,
  pauseWrites,
  placeOf,
  promote,
  reasonOf,
  resumeWrites,
  roleOf,
  settledRole,
  withEngine,
} from "./engines.ts";
import { attach, isFenced, restorePrimary, SWITCHOVER } from "./former-primary.ts";
import { completeSwitchover, releaseClients } from "./after-promotion.ts";
import { returnSiblings } from "./siblings.ts";
import { SWITCHOVER_MS } from "./ports.ts";
import type { ShardPorts } from "./ports.ts";
import { releaseTo, sendToProxies } from "./proxies.ts";

/** A record in which a switchover has begun. */
export interface ResolveRequest {
  readonly record: DatabaseRecord;
  readonly shard: number;
  /** The target's process has ended, or the lease of its node has expired. */
  readonly targetDead: boolean;
}

export type ResolveResult =
  | { readonly kind: "nothing" }
  /** The target serves. */
  | { readonly kind: "finished"; readonly record: DatabaseRecord; readonly unattached: readonly number[] }
  /** The old primary serves, under an epoch that fences the leader that began. */
  | { readonly kind: "taken-back"; readonly record: DatabaseRecord }
  | { readonly kind: "waiting"; readonly reason: string };

/**
 * Ends a switchover that another leader, or this one before a failure, has left unfinished. Renews the fence first, so that
 * the old primary takes no write until it is known which engine serves. Idempotent; AGENT_RECORD_MOVED when another leader
 * ended it.
 */
export async function resolveIntent(request: ResolveRequest, ports: ShardPorts): Promise<ResolveResult> {
  const { record } = request;
  const shard = record.shards.find(({ id }) => id === request.shard);
  const move = shard === undefined ? undefined : moveBegun(shard);
  if (move === undefined) return { kind: "nothing" };
  const oldAddress = addressOf(record, move, move.from, ports);
  const targetAddress = addressOf(record, move, move.to, ports);
  const old = await fencedRole(oldAddress);
  const target = targetAddress === undefined ? undefined : await settledRole(targetAddress);
  const forced = shard?.switchover?.forced === true;
  const verdict = evaluateIntent({ old, target, targetDead: request.targetDead, forced });
  ports.log.info("unfinished switchover evaluated", { bdb: record.uid, ...move, verdict: verdict.kind, old, target });
  switch (verdict.kind) {
    case "wait":
      return { kind: "waiting", reason: verdict.reason };
    case "finish":
      if (targetAddress === undefined) return { kind: "waiting", reason: "the node of the target has no address" };
      return finishMove({ record, move, target: targetAddress, loss: verdict.loss }, ports);
    case "take-back":
      return rollBack({ record, move, oldAddress, targetAddress, old, loss: verdict.loss }, ports);
  }
}

async function finishMove(
  {
    record,
    move,
    target,
    loss,
  }: { record: DatabaseRecord; move: SwitchoverMove; target: EngineAddress; loss: string | undefined },
  ports: ShardPorts,
): Promise<ResolveResult> {
  const reported = loss === undefined ? record : await ports.change((stored) => withLossReport(stored, move, loss));
  const promoted = { move, record: reported, target, ports };
  const end = await completeSwitchover(promoted, await releaseClients(promoted));
  return { kind: "finished", record: end.record, unattached: end.unattached };
}

interface TakeBack {
  readonly record: DatabaseRecord;
  readonly move: SwitchoverMove;
  readonly oldAddress: EngineAddress | undefined;
  readonly targetAddress: EngineAddress | undefined;
  readonly old: FormerFacts | undefined;
  readonly loss: string | undefined;
}

/** The record first: from then on the leader that began is fenced. Then the target, the old primary and at last the clients. */
async function rollBack(
  { record, move, oldAddress, targetAddress, old, loss }: TakeBack,
  ports: ShardPorts,
): Promise<ResolveResult> {
  const stored = await ports.change((current) =>
    isUnderWay(current, move) ? withLossReport(takeBack(current, move), move, loss) : current,
  );
  if (!stored.shards.some(({ id, epoch }) => id === move.shard && epoch === move.epoch + 1))
    throw new Fault(faults.recordMoved, `another leader ended the switchover of database ${record.uid}`, { ...move });
  if (oldAddress === undefined || old === undefined) return { kind: "taken-back", record: stored };
  if (old.role === "replica") await withEngine(oldAddress, promote);
  if (targetAddress !== undefined) await reattachTarget(targetAddress, oldAddress, ports);
  const target = placeOf(oldAddress);
  // a target that does not answer may only be suspended: what it would acknowledge later is lost already
  const { proxies } = ports;
  const back = { shard: move.shard, epoch: move.epoch + 1 };
  const fence = { op: "fence", ...nameShard(stored, back.shard), epoch: back.epoch } as const;
  if (loss !== undefined) await sendToProxies(proxies, fence);
  await sendToProxies(proxies, releaseTo(target, back, stored, ports));
  await withEngine(oldAddress, restorePrimary);
  await returnSiblings(stored, move, target, ports);
  return { kind: "taken-back", record: stored };
}

/** The target is a replica of the old primary again; one that does not answer is attached when it does. */
async function reattachTarget(target: EngineAddress, primary: EngineAddress, ports: ShardPorts): Promise<void> {
  try {
    await withEngine(target, (engine) => attach(engine, placeOf(primary)));
  } catch (error) {
    ports.log.warn("the target of a switchover cannot be attached now", { reason: reasonOf(error) });
  }
}

async function fencedRole(address: EngineAddress | undefined): Promise<FormerFacts | undefined> {
  if (address === undefined) return undefined;
  try {
    return await withEngine(address, async (engine) => {
      // the leader that began may be suspended: it must not fence the primary later
      await closeNamed(engine, SWITCHOVER);
      await pauseWrites(engine, SWITCHOVER_MS.pause);
      const view = await roleOf(engine);
      const isFollower = view.role === "replica" && !isFenced(view);
      // a replica refuses writes, and applies nothing of its stream while it is paused
      if (isFollower) await resumeWrites(engine);
      return { ...view, isFollower };
    });
  } catch (error) {
    if (error instanceof Fault) return undefined; // dead or silent: nothing to fence
    throw error;
  }
}

function addressOf(
  record: DatabaseRecord,
  move: SwitchoverMove,
  id: number,
  ports: ShardPorts,
): EngineAddress | undefined {
  const instance = instanceOf(record, move, id);
  return instance === undefined ? undefined : ports.addressOf(instance);
}
