import type { DatabaseRecord } from "../../../core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { begin, moveTo, withdraw } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import { faults } from "../faults.ts";
import { closeSwitchover, openSwitchover } from "./open.ts";
import type { OpenSwitchover, SwitchoverRequest } from "./open.ts";
import {
  awaitOffset,
  pauseWrites,
  placeOf,
  promote,
  reasonOf,
  resumeWrites,
  settledRole,
  withEngine,
} from "./engines.ts";
import { fencePrimary, restorePrimary } from "./former-primary.ts";
import type { CompletedSwitchover } from "./after-promotion.ts";
import { completeSwitchover, releaseClients } from "./after-promotion.ts";
import { rehearse } from "./rehearsal.ts";
import { moveSiblings, returnSiblings } from "./siblings.ts";
import { SWITCHOVER_MS } from "./ports.ts";
import type { ShardPorts, SwitchoverResult, SwitchoverStep } from "./ports.ts";
import { requireConfirmed, slowest, sendToProxies } from "./proxies.ts";

/**
 * Moves a shard's primary without a failed request or a lost write. Until the promotion every failure leads back to the
 * old primary, and after it only forward:
 *
 *     check → intend → prepare → hold → pause → catch-up → fence → promote → release → demote → commit
 *     └ refused ┘     └─────────────────── aborted ──────────────────────┘   └──────── done ────────┘
 */
export async function switchOver(request: SwitchoverRequest, ports: ShardPorts): Promise<SwitchoverResult> {
  const move = moveTo(request.record, request.shard, request.to);
  if (move === undefined)
    return { kind: "refused", reason: `shard ${request.shard} has no other instance ${request.to}` };
  const began = performance.now();
  const run = await openSwitchover(request, move, ports);
  if ("objection" in run) {
    const { objection: reason, obstacle } = run;
    return { kind: "refused", reason, ...(obstacle === undefined ? {} : { obstacle }) };
  }
  try {
    return await execute(run, began);
  } finally {
    closeSwitchover(run);
  }
}

/** Times since the hold was asked for, as far as it got. */
interface Progress {
  step: SwitchoverStep;
  heldAt: number;
  pausedAt: number;
  caughtUpAt: number;
  promotedAt: number;
  drainMs: number;
  record: DatabaseRecord;
}

async function execute(run: OpenSwitchover, began: number): Promise<SwitchoverResult> {
  const progress: Progress = {
    step: "intend",
    heldAt: 0,
    pausedAt: 0,
    caughtUpAt: 0,
    promotedAt: 0,
    drainMs: 0,
    record: run.record,
  };
  try {
    await upToPromotion(run, progress);
  } catch (error) {
    const promoted = await wasPromoted(run, progress.step);
    if (promoted === undefined)
      return { kind: "unresolved", step: progress.step, reason: reasonOf(error), heldMs: SWITCHOVER_MS.hold };
    if (!promoted) return rollBack(run, progress, reasonOf(error));
    progress.promotedAt = performance.now();
  }
  return complete(run, progress, began);
}

async function complete(run: OpenSwitchover, progress: Progress, began: number): Promise<SwitchoverResult> {
  const { move, ports, targetAddress } = run;
  const promoted = { move, ports, record: progress.record, target: targetAddress };
  const released = await releaseClients(promoted);
  let end: CompletedSwitchover;
  try {
    end = await completeSwitchover(promoted, released);
  } catch (error) {
    return { kind: "unresolved", step: "commit", reason: reasonOf(error), heldMs: released.heldMs };
  }
  const { releasedAt, heldMs, record, unreleased, unattached } = end;
  const since = (time: number): number => time - progress.heldAt;
  const timings = {
    drainMs: progress.drainMs,
    pausedAtMs: since(progress.pausedAt),
    caughtUpAtMs: since(progress.caughtUpAt),
    promotedAtMs: since(progress.promotedAt),
    releasedAtMs: since(releasedAt),
    heldMs,
    totalMs: performance.now() - began,
  };
  return { kind: "done", record, timings, unreleased, unattached };
}

async function upToPromotion(run: OpenSwitchover, progress: Progress): Promise<void> {
  const { move, ports, record, drainMs, primary, target } = run;
  const { proxies } = ports;
  const named = nameShard(record, move.shard);
  const step = async (name: SwitchoverStep): Promise<void> => {
    progress.step = name;
    await ports.before?.(name);
  };
  const place = placeOf(target);
  await step("intend");
  progress.record = await intend(move, ports);
  await step("prepare");
  const prepare = { op: "prepare", ...named, epoch: move.epoch, target: place } as const;
  requireConfirmed("prepare", await sendToProxies(proxies, prepare));
  await rehearse(run);
  await step("hold");
  progress.heldAt = performance.now();
  const heldSince = ports.clock.uptimeMs();
  const hold = { op: "hold", ...named, epoch: move.epoch, drainMs, holdMs: SWITCHOVER_MS.hold } as const;
  const held = await sendToProxies(proxies, hold);
  requireConfirmed("hold", held);
  progress.drainMs = slowest(held);
  await step("pause");
  const { offset } = await pauseWrites(primary, SWITCHOVER_MS.pause);
  progress.pausedAt = performance.now();
  await step("catch-up");
  await awaitOffset(offset, target);
  progress.caughtUpAt = performance.now();
  await moveSiblings(record, move, place, ports);
  await step("fence");
  requireHolds(ports.clock.uptimeMs() - heldSince);
  // from now on no engine answers reads or writes, whatever became of the holds and of the pause, until the next primary does
  await awaitOffset(await fencePrimary(primary), target);
  await step("promote");
  requireHolds(ports.clock.uptimeMs() - heldSince);
  await promote(target);
  progress.promotedAt = performance.now();
}

/** Throws unless this call writes the intent: that of another leader for the same switchover does not count. */
async function intend(move: SwitchoverMove, ports: ShardPorts): Promise<DatabaseRecord> {
  let begun = false;
  const record = await ports.change((stored) => {
    const next = begin(stored, move);
    begun = next !== undefined;
    return next ?? stored;
  });
  if (begun) return record;
  throw new Fault(faults.recordMoved, `the record of database ${record.uid} has changed`, { bdb: record.uid, ...move });
}

/**
 * AGENT_HOLDS_TOO_OLD unless every proxy certainly still holds its clients until they are released: counted from before the first was asked,
 * by the shortest deadline. The fence on the old primary has no end, but does not stop what a script does with a refused write.
 */
function requireHolds(sinceMs: number): void {
  const ageMs = Math.round(sinceMs);
  const allowedMs = Math.min(SWITCHOVER_MS.hold, SWITCHOVER_MS.pause) - SWITCHOVER_MS.promotion;
  if (ageMs <= allowedMs) return;
  throw new Fault(faults.holdsTooOld, `clients have been held for ${ageMs} ms, allowed are ${allowedMs}`, { ageMs });
}

/** Undefined when it is unknown: the reply to the promotion is missing and the target does not answer. */
async function wasPromoted({ targetAddress }: OpenSwitchover, step: SwitchoverStep): Promise<boolean | undefined> {
  if (step !== "promote") return false;
  const view = await settledRole(targetAddress);
  return view === undefined ? undefined : view.role === "primary";
}

/** Undoes every step; what cannot be undone now ends by its own deadline, or when the intent is resolved. */
async function rollBack(run: OpenSwitchover, { step, heldAt }: Progress, reason: string): Promise<SwitchoverResult> {
  const { move, ports, primary } = run;
  const bdb = run.record.uid;
  const mayBeFenced = FENCED.has(step);
  try {
    // over another connection: this one may have failed. Not after a successor of this leader, which finds a target that nothing promotes
    if (mayBeFenced) await withEngine(run.primaryAddress, restorePrimary);
  } catch (error) {
    // the intent stays, and is resolved when the old primary answers
    return { kind: "unresolved", step, reason: `${reason}; ${reasonOf(error)}`, heldMs: SWITCHOVER_MS.hold };
  }
  const freed = Promise.all([
    sendToProxies(ports.proxies, { op: "abort", ...nameShard(run.record, move.shard), epoch: move.epoch }),
    mayBeFenced ? undefined : resumeWrites(primary),
  ]);
  const heldMs = freed.then(
    () => heldSince(heldAt),
    () => heldSince(heldAt),
  );
  const undone = await Promise.allSettled([
    freed,
    ...(mayBeFenced ? [returnSiblings(run.record, move, placeOf(primary), ports)] : []),
    ports.change((stored) => withdraw(stored, move)),
  ]);
  const failures = undone.flatMap((act) => (act.status === "rejected" ? [reasonOf(act.reason)] : []));
  ports.log.warn("switchover aborted", { bdb, shard: move.shard, to: move.to, step, reason, failures });
  return { kind: "aborted", step, reason, heldMs: await heldMs };
}

/** In these steps the old primary may be fenced, and the siblings follow the target. */
const FENCED: ReadonlySet<SwitchoverStep> = new Set(["fence", "promote"]);

/** A hold ends by itself. */
function heldSince(heldAt: number): number {
  return heldAt === 0 ? 0 : Math.min(SWITCHOVER_MS.hold, performance.now() - heldAt);
}
