import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import {
  holdForTable,
  isServed,
  serveTable,
  tableMoveOf,
  type TableMove,
} from "../../../core/records/reshape-record.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { nextTable } from "../../../core/planner/database/replaced-shards.ts";
import { faults } from "../faults.ts";
import { awaitOffset, pauseWrites, promote, reasonOf, resumeWrites, roleOf } from "./engines.ts";
import { retirePrimary } from "./former-primary.ts";
import { failedNodes, requireConfirmed, sendToProxies, slowest } from "./proxies.ts";
import { takeBackTable } from "./table-back.ts";
import { releaseTable, retireUntil } from "./table-release.ts";
import { connectTable, type TableEngines } from "./table-engines.ts";
import { ObstructedMove } from "./obstructed-move.ts";
import { busyObjection, requireNoHarm, requireNothingMisplaced, tableObjection } from "./table-gates.ts";
import { rehearseTable } from "./table-rehearsal.ts";
import { TABLE_MS, TABLE_STEPS, type TablePorts, type TableResult, type TableStep } from "./table-ports.ts";

/** Another number of shards that is to serve: they have all that the mover has passed on. */
export interface TableRequest {
  /** As it was last read; compare-and-swap finds out when it has changed since. */
  readonly record: DatabaseRecord;
  /** Clients are asked to wait although requests have been at a primary for long. */
  readonly insists: boolean;
  /** For the requests in flight, in milliseconds. */
  readonly drainMs: number;
}

/**
 * Lets the shards to be serve instead of those that do, without a failed request or a lost write. Until all are promoted every failure leads back to the
 * former shards, and after it only forward (`resolveTable`). Clients wait for no record: it is written before they are held and when they go on.
 *
 *     check → intend → prepare → hold → pause → reach → follow → demote → promote → release → commit
 *     └ refused ┘     └───────────────────────── aborted ────────────────────────┘ └──── done ─────┘
 */
export async function switchTable(request: TableRequest, ports: TablePorts): Promise<TableResult> {
  const { record } = request;
  const move = tableMoveOf(record);
  if (move === undefined) return { kind: "refused", reason: "no shards to be are filled" };
  const opened = await open(request, ports);
  if ("objection" in opened) {
    const { objection: reason, obstacle } = opened;
    return { kind: "refused", reason, ...(obstacle === undefined ? {} : { obstacle }) };
  }
  try {
    return await execute(
      { ...request, move, ports, engines: opened },
      { step: "intend", heldAt: 0, beganMs: {}, record },
    );
  } finally {
    opened.close();
  }
}

interface TableRun extends TableRequest {
  readonly move: TableMove;
  readonly ports: TablePorts;
  readonly engines: TableEngines;
}

/** How far it got. */
interface Progress {
  step: TableStep;
  /** When the holds were asked for, by the uptime in milliseconds; 0: not yet. */
  heldAt: number;
  /** When each step of the hold began, in milliseconds since the holds were asked for. */
  readonly beganMs: Partial<Record<TableStep, number>>;
  record: DatabaseRecord;
}

interface Objection {
  readonly objection: string;
  readonly obstacle?: Finding;
}

/** Connects and checks; changes nothing. */
async function open(request: TableRequest, ports: TablePorts): Promise<TableEngines | Objection> {
  let engines: TableEngines | undefined;
  try {
    await ports.before?.("check");
    engines = await connectTable(request.record, ports);
    const objection = await objectionOf(request, engines, ports);
    if (objection === undefined) return engines;
    engines.close();
    return { objection };
  } catch (error) {
    engines?.close();
    if (!(error instanceof Fault)) throw error;
    return { objection: reasonOf(error), ...(error instanceof ObstructedMove ? { obstacle: error.obstacle } : {}) };
  }
}

async function objectionOf(
  { record, insists }: TableRequest,
  engines: TableEngines,
  ports: TablePorts,
): Promise<string | undefined> {
  const objection = await tableObjection(record, engines, ports);
  if (objection !== undefined) return objection;
  await requireNoHarm(record, engines, ports);
  const busy = insists ? undefined : await busyObjection(record, ports);
  return busy ?? rehearseTable(record, insists, engines, ports);
}

async function execute(run: TableRun, progress: Progress): Promise<TableResult> {
  try {
    await fillTargets(run, progress);
    await promoteTargets(run, progress);
  } catch (error) {
    const back = await goBack(run, progress, reasonOf(error));
    if (back !== undefined) return back;
  }
  return serveTargets(run, progress);
}

/** Everything that the former shards have is at those to be, clients wait, and the former primaries refuse writes without an end. */
async function fillTargets(run: TableRun, progress: Progress): Promise<void> {
  const { move, ports, engines, drainMs } = run;
  const { proxies, clock } = ports;
  const named = { bdb: run.record.uid, tableEpoch: move.tableEpoch } as const;
  const step = stepOf(run, progress);
  await step("intend");
  progress.record = await enter(run, holdForTable);
  await step("prepare");
  const shards = ports.shown(progress.record, nextTable(progress.record));
  requireConfirmed("prepare-table", await sendToProxies(proxies, { op: "prepare-table", ...named, shards }));
  await step("hold");
  progress.heldAt = clock.uptimeMs();
  const hold = { op: "hold-table", ...named, drainMs, holdMs: TABLE_MS.hold } as const;
  requireConfirmed("hold-table", await sendToProxies(proxies, hold));
  await step("pause");
  const sources = await pauseSources(engines);
  await step("reach");
  const reached = await ports.askMover(progress.record, { op: "reach", sources, withinMs: TABLE_MS.reach });
  if (!reached.ok) throw new Fault(faults.moveNotDone, reached.message, { code: reached.code });
  if (reached.op !== "reach") throw new Fault(faults.moveNotDone, "the mover has not answered");
  requireNothingMisplaced(progress.record, reached.sources);
  await step("follow");
  await followTargets(engines);
  await step("demote");
  requireHolds(run, progress, TABLE_MS.promotions);
  await retireSources(engines, sources);
}

async function promoteTargets(run: TableRun, progress: Progress): Promise<void> {
  const step = stepOf(run, progress);
  await step("promote");
  requireHolds(run, progress, TABLE_MS.release);
  await Promise.all(run.engines.targets.map(({ primary }) => promote(primary)));
}

/** Lets clients go on at the shards to be, and enters these in the record. */
async function serveTargets(run: TableRun, progress: Progress): Promise<TableResult> {
  const { record, move, ports } = run;
  // another leader may have entered them already
  const next = serveTable(progress.record, move, retireUntil(ports)) ?? progress.record;
  await noticeStep(run, progress, "release");
  const released = await releaseTable(next, ports);
  const [heldMs, unreleased] = [slowest(released), failedNodes(released)];
  await noticeStep(run, progress, "commit");
  try {
    const stored = await ports.change((latest) => serveTable(latest, move, retireUntil(ports)) ?? latest);
    if (!isServed(stored, move)) throw recordMoved(record);
    const { beganMs } = progress;
    const shards = stored.shards.map(({ id }) => id);
    ports.log.info("other shards serve", { bdb: record.uid, shards, heldMs, unreleased, beganMs });
    return { kind: "done", record: stored, heldMs, unreleased };
  } catch (error) {
    return { kind: "unresolved", step: "commit", reason: reasonOf(error), heldMs };
  }
}

/** Undefined when the record has the next table after all: then there is no way back. */
async function goBack(run: TableRun, progress: Progress, reason: string): Promise<TableResult | undefined> {
  const { record, move, ports } = run;
  const { step } = progress;
  // what the record has then is not known to be of this switch, and a later pass takes it back
  if (step === "intend") return { kind: "aborted", step, reason, heldMs: 0 };
  const freedMs = TABLE_STEPS.indexOf(step) < DEMOTED ? await letGo(run, progress) : undefined;
  const heldMs = (): number => freedMs ?? heldSoFar(run, progress);
  ports.log.warn("a switch to other shards goes back", { bdb: record.uid, step, reason });
  try {
    const stored = await takeBackTable({ record: progress.record, isDead: () => false, isUnreleased: true }, ports);
    if (isServed(stored, move)) {
      progress.record = stored;
      return undefined;
    }
    return { kind: "aborted", step, reason, heldMs: heldMs() };
  } catch (error) {
    return { kind: "unresolved", step, reason: `${reason}; ${reasonOf(error)}`, heldMs: heldMs() };
  }
}

/** From this step on a former primary may refuse writes, and the record may have the next table. */
const DEMOTED = TABLE_STEPS.indexOf("demote");

/**
 * Lets clients go on at the former primaries, which are still primaries, before the record says so: this leader, which alone may go on with this epoch, does not. What
 * did not answer is taken back with the record. Resolves with the milliseconds for which clients were held.
 */
async function letGo(run: TableRun, progress: Progress): Promise<number> {
  if (progress.heldAt === 0) return 0;
  const { move, ports, engines } = run;
  const named = { bdb: run.record.uid, tableEpoch: move.tableEpoch } as const;
  await Promise.allSettled([
    sendToProxies(ports.proxies, { op: "abort-table", ...named }),
    ...engines.sources.map(({ primary }) => resumeWrites(primary)),
  ]);
  return heldSoFar(run, progress);
}

/** A hold ends by itself, whatever becomes of the rest. */
function heldSoFar({ ports }: TableRun, { heldAt }: Progress): number {
  return heldAt === 0 ? 0 : Math.min(TABLE_MS.hold, ports.clock.uptimeMs() - heldAt);
}

function stepOf(run: TableRun, progress: Progress): (name: TableStep) => Promise<void> {
  return async (name) => {
    progress.step = name;
    if (progress.heldAt !== 0) progress.beganMs[name] = Math.round(run.ports.clock.uptimeMs() - progress.heldAt);
    await run.ports.before?.(name);
  };
}

/** From the release on there is no way back, whatever a callback says. */
async function noticeStep(run: TableRun, progress: Progress, name: TableStep): Promise<void> {
  const step = stepOf(run, progress);
  await step(name).catch((error: unknown) => {
    run.ports.log.warn("the callback of a step failed", { step: name, reason: reasonOf(error) });
  });
}

/** AGENT_RECORD_MOVED unless this call enters the next phase of this switch: another leader has taken it back, or a shard has another primary. */
async function enter(
  { move, ports }: TableRun,
  next: (stored: DatabaseRecord, move: TableMove) => DatabaseRecord | undefined,
): Promise<DatabaseRecord> {
  let entered = false;
  const record = await ports.change((stored) => {
    const changed = next(stored, move);
    entered = changed !== undefined;
    return changed ?? stored;
  });
  if (entered) return record;
  throw recordMoved(record);
}

function recordMoved({ uid: bdb }: DatabaseRecord): Fault {
  return new Fault(faults.recordMoved, `the record of database ${bdb} has changed`, { bdb });
}

interface PausedSource {
  readonly id: number;
  readonly offset: number;
}

async function pauseSources({ sources }: TableEngines): Promise<readonly PausedSource[]> {
  return Promise.all(
    sources.map(async ({ shard: { id }, primary }) => ({
      id,
      offset: (await pauseWrites(primary, TABLE_MS.pause)).offset,
    })),
  );
}

/** The replicas of the shards to be have what their primaries have. */
async function followTargets({ targets }: TableEngines): Promise<void> {
  await Promise.all(
    targets.map(async ({ primary, replicas }) => {
      if (replicas.length === 0) return;
      const { offset } = await roleOf(primary);
      await Promise.all(replicas.map((replica) => awaitOffset(offset, replica)));
    }),
  );
}

/** AGENT_NOT_CAUGHT_UP when a former primary has written something since its offset was read: that is nowhere else. */
async function retireSources({ sources }: TableEngines, paused: readonly PausedSource[]): Promise<void> {
  const written = await Promise.all(
    sources.map(async ({ shard: { id }, primary }) => ({ id, offset: await retirePrimary(primary) })),
  );
  const later = written.find(({ id, offset }) => offset !== paused.find((one) => one.id === id)?.offset);
  if (later === undefined) return;
  throw new Fault(faults.notCaughtUp, `the former primary of shard ${later.id} has written while clients were held`, {
    ...later,
  });
}

/** AGENT_HOLDS_TOO_OLD unless every proxy certainly holds its clients for so long still, counted from before the first was asked. */
function requireHolds({ ports }: TableRun, { heldAt }: Progress, neededMs: number): void {
  const ageMs = Math.round(ports.clock.uptimeMs() - heldAt);
  const allowedMs = TABLE_MS.hold - neededMs;
  if (ageMs <= allowedMs) return;
  throw new Fault(faults.holdsTooOld, `clients have been held for ${ageMs} ms, allowed are ${allowedMs}`, { ageMs });
}
