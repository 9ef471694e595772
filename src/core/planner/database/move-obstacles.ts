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
 * What would become of clients' data at the target although the replication is as it should be: it would be evicted, or refuse to grow, or
 * expire before its time. Undefined when nothing would.
 */
export function moveObstacle(view: ObstacleView): MoveObstacle | undefined {
  return clockApart(view) ?? memoryTooSmall(view);
}

/** More than synchronized machines differ by, in milliseconds. */
const CLOCK_MS = 2_000;

/** Keys expire by the clock of the primary. The way to both engines and back makes the difference uncertain, in favour of the move. */
function clockApart({ primary, target, from, to, database }: ObstacleView): MoveObstacle | undefined {
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

/** A replica ignores the limit, so that nothing shows before it is a primary. */
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

/** Of the limit: what clients' connections take at a primary, and a replica does not have yet. */
const MARGIN = 0.01;
/** A database that evicts stays near its limit all the time; one below this has room. */
const NEAR_LIMIT = 0.98;

/** What the target will take as a primary: a replica that is new has little in its backlog yet. */
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
