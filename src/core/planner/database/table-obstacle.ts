import { patchDatabase } from "../../api/kubectl.ts";
import type { DatabaseRecord } from "../../api/records.ts";
import { consent, wait, type FindingOf } from "../findings/finding.ts";
import { clockApart, type MoveObstacle } from "./move-obstacles.ts";
import { keepShards } from "./reshape-trouble.ts";
import type { EngineView } from "./switchover.ts";

/** A primary of a database that changes its shards. */
export interface ShardView {
  readonly shard: number;
  readonly node: number;
  readonly engine: Pick<EngineView, "maxMemory" | "countedMemory" | "backlogMemory" | "evicts" | "clock">;
}

/** What a switch to other shards is judged by besides how far they have come. */
export interface TableView {
  readonly database: Pick<
    DatabaseRecord,
    "name" | "memoryBytes" | "mayDiscardMisplaced" | "shards" | "shardCount" | "shardSlots"
  >;
  /** The primaries that serve, of shards that are replaced. */
  readonly sources: readonly ShardView[];
  /** Those to be. */
  readonly targets: readonly ShardView[];
  /** What shards that serve have, and none of those to be gets. */
  readonly misplaced: readonly MisplacedAt[];
}

/** Keys of a shard whose slots are another one's. */
export interface MisplacedAt {
  readonly shard: number;
  readonly keys: number;
  /** One of them, where one is known. */
  readonly example?: { readonly database: number; readonly name: string };
}

/**
 * What the switch would do to clients' data although the new shards have all that clients find: it would be evicted, could not grow, or would expire before
 * its time; and what scripts have written at the wrong shard would be gone. Undefined when the switch does no harm.
 */
export function tableObstacle(view: TableView): MoveObstacle | FindingOf<"KeysMisplaced"> | undefined {
  return clocksApart(view) ?? shardTooFull(view) ?? keysMisplaced(view);
}

/** What shards that serve have and no new shard gets, unless a user agreed that it goes. */
export function keysMisplaced({
  database,
  misplaced,
}: Pick<TableView, "database" | "misplaced">): FindingOf<"KeysMisplaced"> | undefined {
  if (misplaced.length === 0 || database.mayDiscardMisplaced === true) return undefined;
  const { name, shardSlots, shardCount } = database;
  const asked = shardSlots === undefined && shardCount !== undefined ? ` ${shardCount}` : "";
  const found = misplaced.map(({ shard, keys, example }) => `shard ${shard} has ${keys}${instanceText(example)}`);
  return consent(
    "KeysMisplaced",
    `keys of "${name}" are at shards that do not have their slots: ${found.join("; ")}. A script has written them without declaring them; no other request finds them, and the new shards do not get them`,
    `let them go with the former shards: storectl reshape ${name}${asked} --may-discard-data; or keep ${keepShards(database)}; and let scripts declare all keys that they use`,
  );
}

function instanceText(example: MisplacedAt["example"]): string {
  if (example === undefined) return "";
  const { database, name } = example;
  return `, for instance "${name}"${database === 0 ? "" : ` of database ${database}`}`;
}

function clocksApart({ database, sources, targets }: TableView): MoveObstacle | undefined {
  for (const { node: from, engine: primary } of sources)
    for (const { node: to, engine: target } of targets) {
      const found = clockApart({ primary, target, from, to, database });
      if (found !== undefined) return found;
    }
  return undefined;
}

/** Room for what clients write, and for their connections, as a share of the limit. */
const MARGIN = 0.01;
/** A database that evicts stays near its limit all the time; one below this has room. */
const NEAR_LIMIT = 0.98;
/** Even slots do not hold evenly much: by so much a shard of a full cache may be over its limit. */
const UNEVEN = 1.25;

/** A replica ignores its memory limit, and keys are not spread evenly: one shard may get more than its share although the database has room. */
function shardTooFull({ database, sources, targets }: TableView): MoveObstacle | undefined {
  const fullest = Math.max(...sources.map(({ engine }) => fillOf(engine, engine.countedMemory)));
  const backlog = Math.max(...sources.map(({ engine }) => engine.backlogMemory));
  const fills = targets.map((target) => {
    const taken = target.engine.countedMemory + Math.max(0, backlog - target.engine.backlogMemory);
    return { ...target, taken, fill: fillOf(target.engine, taken) };
  });
  const [worst] = fills.toSorted((a, b) => b.fill - a.fill);
  if (worst === undefined || !(worst.engine.evicts ? wouldEvict : wouldRefuse)(fullest, worst.fill)) return undefined;
  const { shard, taken, fill, engine } = worst;
  const harm = engine.evicts ? "keys of it would be evicted" : "writes that need memory would be refused";
  const memorySize = `${Math.ceil((database.memoryBytes * fill * 1.1) / 1_000_000)}MB`;
  return wait(
    "MemoryTooSmall",
    `new shard ${shard} of "${database.name}" takes ${taken} bytes, and its share of spec.memorySize is ${engine.maxMemory}: ${harm}`,
    `give the database more memory; the new shards serve then: ${patchDatabase(database.name, { memorySize })}; or keep ${keepShards(database)}`,
  );
}

/** How much of its limit an engine uses; without a limit nothing is full. */
function fillOf({ maxMemory }: ShardView["engine"], taken: number): number {
  return maxMemory === 0 ? 0 : taken / maxMemory;
}

/** A primary at its limit refuses writes already: other shards make nothing worse. */
function wouldRefuse(had: number, becomes: number): boolean {
  return had < 1 && becomes >= 1 - MARGIN;
}

function wouldEvict(had: number, becomes: number): boolean {
  return becomes > (had < NEAR_LIMIT ? 1 : UNEVEN);
}
