import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { Fault } from "#kit/base/fault";
import { moveObstacle } from "../../../core/planner/database/move-obstacles.ts";
import { instanceOf } from "../../../core/records/switchover-record.ts";
import type { SwitchoverMove } from "../../../core/records/switchover-record.ts";
import { busyText } from "../../../core/planner/database/waiting-requests.ts";
import { switchoverGates } from "../../../core/planner/database/switchover.ts";
import { linkCanFollow } from "../../../mechanisms/site/saved/link-place.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { faults } from "../faults.ts";
import { nameConnection, openEngine, viewEngine } from "./engines.ts";
import type { EngineControl } from "./engines.ts";
import { SWITCHOVER } from "./former-primary.ts";
import { ObstructedMove } from "./obstructed-move.ts";
import { SWITCHOVER_MS } from "./ports.ts";
import type { ShardPorts } from "./ports.ts";
import { sendToProxies } from "./proxies.ts";

/** The instance that shall be primary. */
export interface SwitchoverRequest {
  /** As it was last read; compare-and-swap finds out when it has changed since. */
  readonly record: DatabaseRecord;
  readonly shard: number;
  readonly to: number;
  /** Back to the engine that served before, though it is the older one. */
  readonly rollback?: boolean;
  /** Clients are asked to wait although requests have been at the primary for long. */
  readonly insists?: boolean;
  /** For the requests in flight, in milliseconds; the ordinary time when absent. */
  readonly drainMs?: number;
}

/** A switchover with its engines connected. The connection to the target is never made anew: another leader may close it. */
export interface OpenSwitchover {
  readonly move: SwitchoverMove;
  readonly ports: ShardPorts;
  readonly record: DatabaseRecord;
  readonly drainMs: number;
  readonly primary: EngineControl;
  readonly target: EngineControl;
  readonly primaryAddress: EngineAddress;
  readonly targetAddress: EngineAddress;
}

/** Why a switchover does not begin. */
export interface ClosedGate {
  readonly objection: string;
  /** Present when a user must remove the cause. */
  readonly obstacle?: Finding;
}

/** Connects and checks the gates; the objection of a closed gate. Changes nothing. */
export async function openSwitchover(
  request: SwitchoverRequest,
  move: SwitchoverMove,
  ports: ShardPorts,
): Promise<OpenSwitchover | ClosedGate> {
  const { record } = request;
  const opened: EngineControl[] = [];
  try {
    await ports.before?.("check");
    if (record.shards.some(({ id, switchover }) => id === request.shard && switchover !== undefined))
      throw new Fault(faults.switchoverRefused, `a switchover of shard ${request.shard} is under way already`);
    const targetAddress = addressOf(record, move, move.to, ports);
    const primaryAddress = addressOf(record, move, move.from, ports);
    const primary = await openEngine(primaryAddress);
    opened.push(primary);
    await nameConnection(primary, SWITCHOVER);
    const target = await openEngine(targetAddress);
    opened.push(target);
    if (request.insists !== true) await requireQuiet(request, ports);
    await requireGates(primary, target, request, move);
    if (request.insists !== true) await requireLink(primary, target, request);
    const drainMs = request.drainMs ?? SWITCHOVER_MS.drain;
    return { move, ports, record, drainMs, primary, target, primaryAddress, targetAddress };
  } catch (error) {
    for (const { client } of opened) client.close();
    if (!(error instanceof Fault)) throw error;
    return { objection: error.message, ...(error instanceof ObstructedMove ? { obstacle: error.obstacle } : {}) };
  }
}

export function closeSwitchover({ primary, target }: OpenSwitchover): void {
  primary.client.close();
  target.client.close();
}

/**
 * Refuses while a proxy waits for long requests. A proxy that cannot say has no objection, because its hold shows it; those of releases before
 * 0.4.0 cannot.
 */
async function requireQuiet({ record, shard }: SwitchoverRequest, { proxies }: ShardPorts): Promise<void> {
  const outcomes = await sendToProxies(proxies, {
    op: "quiet",
    ...nameShard(record, shard),
    withinMs: SWITCHOVER_MS.quiet,
  });
  const waitsFor = outcomes.flatMap(({ reply }) => (reply?.ok === true && reply.op === "quiet" ? reply.waitsFor : []));
  const objection = busyText(waitsFor);
  if (objection !== undefined) throw new Fault(faults.switchoverRefused, objection, { bdb: record.uid });
}

/** The primary is read first: what it writes in between makes the gap smaller, never larger. */
async function requireGates(
  primary: EngineControl,
  target: EngineControl,
  request: SwitchoverRequest,
  move: SwitchoverMove,
): Promise<void> {
  const primaryView = await viewEngine(primary);
  const view = { primary: primaryView, target: await viewEngine(target), rollback: request.rollback ?? false };
  const objection = switchoverGates(view);
  if (objection !== undefined) throw new Fault(faults.switchoverRefused, objection, { bdb: request.record.uid });
  const { record: database } = request;
  const nodeOf = (id: number): number => instanceOf(database, move, id)?.node ?? 0;
  const obstacle = moveObstacle({ ...view, database, from: nodeOf(move.from), to: nodeOf(move.to) });
  if (obstacle !== undefined) throw new ObstructedMove(faults.moveObstructed, obstacle, { bdb: database.uid });
}

/** The link of an Active-Active database goes on at the target where it was: otherwise increments are lost. */
async function requireLink(
  primary: EngineControl,
  target: EngineControl,
  { record }: SwitchoverRequest,
): Promise<void> {
  const { uid: bdb, activeActive } = record;
  if (activeActive === undefined || (await linkCanFollow(primary.client, target.client, SWITCHOVER_MS.link))) return;
  const { host, port } = target;
  const why = `the link has not captured yet what was written before ${host}:${port} got its data`;
  throw new Fault(faults.switchoverRefused, why, { bdb });
}

function addressOf(record: DatabaseRecord, move: SwitchoverMove, id: number, ports: ShardPorts): EngineAddress {
  const instance = instanceOf(record, move, id);
  const address = instance === undefined ? undefined : ports.addressOf(instance);
  if (address !== undefined) return address;
  throw new Fault(faults.switchoverRefused, `the node of instance ${id} has no address`, { instance: id });
}
