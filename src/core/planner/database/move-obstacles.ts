import { getNodePods, patchDatabase, patchObject } from "../../api/kubectl.ts";
import type { DatabaseRecord } from "../../api/records.ts";
import { engineText } from "../../releases/engines/engines.ts";
import type { FindingOf } from "../findings/finding.ts";
import { wait } from "../findings/finding.ts";
import type { EngineView, SwitchoverView } from "./switchover.ts";

/** What keeps a primary where it is until a user removes the cause. */
export type MoveObstacle = FindingOf<"ClockApart" | "MemoryTooSmall">;

/** What a move is judged by besides the state of its engines. */
export interface ObstacleView extends SwitchoverView {
  readonly database: Pick<DatabaseRecord, "name" | "activeActive">;
  /** Nodes of the primary and of the target. */
  readonly from: number;
  readonly to: number;
}

/**
 * What a move would do to clients' data at the target although the replication is as it should be: the data would be evicted, could not grow, or
 * would expire before its time. Undefined when the move does no harm.
 */
export function moveObstacle(view: ObstacleView): MoveObstacle | undefined {
  return clockApart(view) ?? memoryTooSmall(view);
}

/** The clocks of synchronized machines differ by less than this, in milliseconds. */
const CLOCK_MS = 2_000;

/** What the clocks of two nodes are judged by. */
interface ClocksView extends Pick<ObstacleView, "from" | "to"> {
  readonly database: Pick<DatabaseRecord, "name">;
  readonly primary: Pick<EngineView, "clock">;
  readonly target: Pick<EngineView, "clock">;
}

/** Keys expire by the clock of the primary. The way to both engines and back makes the difference uncertain, in favour of the move. */
export function clockApart({ primary, target, from, to, database }: ClocksView): MoveObstacle | undefined {
  const apartMs = target.clock.aheadMs - primary.clock.aheadMs;
  const certainMs = Math.abs(apartMs) - primary.clock.uncertainMs - target.clock.uncertainMs;
  if (certainMs <= CLOCK_MS) return undefined;
  const [seconds, where] = [(Math.abs(apartMs) / 1000).toFixed(1), apartMs > 0 ? "ahead of" : "behind"];
  return wait(
    "ClockApart",
    `the clock of node ${to} is ${seconds} s ${where} that of node ${from}, where the primary of "${database.name}" is: keys would expire ${apartMs > 0 ? "too early" : "too late"} after a move`,
    `set the clock of the worker of that node; its name: ${getNodePods(" -o wide")}; on the worker: chronyc makestep`,
  );
}

/** A replica ignores its memory limit, so that a limit that is too small shows only at a primary. */
function memoryTooSmall(view: ObstacleView): MoveObstacle | undefined {
  const { primary, target, rollback, database } = view;
  const limit = target.maxMemory;
  if (limit === 0 || rollback || engineText(primary.engine) === engineText(target.engine)) return undefined;
  const taken = takenBy(primary, target);
  const [had, harms] = [primary.countedMemory, target.evicts ? wouldEvict : wouldRefuse];
  if (!harms(had, taken, limit)) return undefined;
  const over = Math.max(0, taken - limit);
  const harm = target.evicts
    ? `${over} bytes of it would be evicted`
    : `writes that need memory would be refused (${over} bytes are over it)`;
  return wait(
    "MemoryTooSmall",
    `the data of "${database.name}" takes ${taken} bytes in ${engineText(target.engine)} and ${had} in ${engineText(primary.engine)}; its limit is ${limit}: ${harm}`,
    `give it more memory; the upgrade goes on then: ${patchMemory(database, taken)}`,
  );
}

/** The share of the limit that clients' connections take at a primary, and not yet at a replica. */
const MARGIN = 0.01;
/** A database that evicts stays near its limit all the time; one below this has room. */
const NEAR_LIMIT = 0.98;

/** The memory that the target will take as a primary: a new replica has little in its backlog yet. */
function takenBy(primary: EngineView, target: EngineView): number {
  return target.countedMemory + Math.max(0, primary.backlogMemory - target.backlogMemory);
}

/** A primary at its limit refuses writes already: the move makes nothing worse. */
function wouldRefuse(had: number, taken: number, limit: number): boolean {
  if (had >= limit) return false;
  return taken >= limit || (taken >= limit * (1 - MARGIN) && taken > had);
}

function wouldEvict(had: number, taken: number, limit: number): boolean {
  return had < limit * NEAR_LIMIT && taken > limit;
}

/** A tenth more than it takes. */
function patchMemory({ name, activeActive }: ObstacleView["database"], taken: number): string {
  const memorySize = `${Math.ceil((taken * 1.1) / 1_000_000)}MB`;
  return activeActive === undefined
    ? patchDatabase(name, { memorySize })
    : patchObject("reaadb", name, { spec: { globalConfigurations: { memorySize } } });
}
