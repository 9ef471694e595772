import type { DatabaseRecord } from "../../../core/api/records.ts";
import {
  keysMisplaced,
  tableObstacle,
  type MisplacedAt,
  type ShardView,
} from "../../../core/planner/database/table-obstacle.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import { busyText } from "../../../core/planner/database/waiting-requests.ts";
import type { MoverReply, MoverSourceStatus, MoverStatus } from "../../../ports/management/mover-control.ts";
import { nameShard } from "../../../ports/management/shard-name.ts";
import { faults } from "../faults.ts";
import { roleOf, viewEngine, type RoleView } from "./engines.ts";
import { ObstructedMove } from "./obstructed-move.ts";
import { sendToProxies } from "./proxies.ts";
import type { ConnectedShard, TableEngines } from "./table-engines.ts";
import { TABLE_MS, type TablePorts } from "./table-ports.ts";

/** Why the next table must not serve now, as a sentence; undefined when nothing speaks against it. Changes nothing. */
export async function tableObjection(
  record: DatabaseRecord,
  engines: TableEngines,
  ports: TablePorts,
): Promise<string | undefined> {
  return (
    whyShardsMayNot(record) ??
    whyMoverMayNot(await ports.askMover(record, { op: "status" }), await rolesOf(engines.sources)) ??
    (await whyTargetsMayNot(engines.targets))
  );
}

/** ObstructedMove when the new shards have all that clients find, and would harm it as primaries, or something else would be gone. Changes nothing. */
export async function requireNoHarm(
  database: DatabaseRecord,
  { sources, targets }: TableEngines,
  ports: TablePorts,
): Promise<void> {
  const reply = await ports.askMover(database, { op: "status" });
  // without an answer the switch has an objection already
  const misplaced = reply.ok && reply.op === "status" ? misplacedAt(reply.status.sources) : [];
  const view = { database, sources: await viewShards(sources), targets: await viewShards(targets), misplaced };
  const obstacle = tableObstacle(view);
  if (obstacle !== undefined) throw new ObstructedMove(faults.moveObstructed, obstacle, { bdb: database.uid });
}

/** The same of what scripts have written up to the end: clients are held, and the mover has reached all. */
export function requireNothingMisplaced(database: DatabaseRecord, sources: readonly MoverSourceStatus[]): void {
  const obstacle = keysMisplaced({ database, misplaced: misplacedAt(sources) });
  if (obstacle !== undefined) throw new ObstructedMove(faults.moveObstructed, obstacle, { bdb: database.uid });
}

function misplacedAt(sources: readonly MoverSourceStatus[]): readonly MisplacedAt[] {
  return sources.flatMap(({ id, misplaced }) => (misplaced === undefined ? [] : [{ shard: id, ...misplaced }]));
}

function viewShards(shards: readonly ConnectedShard[]): Promise<readonly ShardView[]> {
  return Promise.all(
    shards.map(async ({ shard, primary }) => ({
      shard: shard.id,
      node: primaryOf(shard).node,
      engine: await viewEngine(primary),
    })),
  );
}

/** Requests that have been at a primary for long, as a sentence; undefined while all are quiet. */
export async function busyObjection(
  record: DatabaseRecord,
  { proxies }: Pick<TablePorts, "proxies">,
): Promise<string | undefined> {
  const asked = record.shards.map(({ id }) =>
    sendToProxies(proxies, { op: "quiet", ...nameShard(record, id), withinMs: TABLE_MS.quiet }),
  );
  const outcomes = (await Promise.all(asked)).flat();
  return busyText(outcomes.flatMap(({ reply }) => (reply?.ok === true && reply.op === "quiet" ? reply.waitsFor : [])));
}

function whyShardsMayNot({ shards }: DatabaseRecord): string | undefined {
  const other = shards.find(({ switchover, recovery }) => switchover !== undefined || recovery !== undefined);
  return other === undefined ? undefined : `shard ${other.id} changes its primary`;
}

interface SourceRole extends RoleView {
  readonly id: number;
}

function rolesOf(sources: readonly ConnectedShard[]): Promise<readonly SourceRole[]> {
  return Promise.all(sources.map(async ({ shard: { id }, primary }) => ({ id, ...(await roleOf(primary)) })));
}

function whyMoverMayNot(reply: MoverReply, sources: readonly SourceRole[]): string | undefined {
  if (!reply.ok || reply.op !== "status") return reply.ok ? "the mover has not answered" : reply.message;
  const { status } = reply;
  if (status.failure !== undefined) return status.failure.message;
  const late = status.targets.find(({ state }) => state !== "following");
  if (late !== undefined) return `shard ${late.id} has not all data yet`;
  return sources.map((source) => whyNotSource(source, status)).find((reason) => reason !== undefined);
}

/** The mover may still follow an engine that another one has replaced. */
function whyNotSource({ id, role, history }: SourceRole, { sources }: MoverStatus): string | undefined {
  if (role !== "primary") return `the primary of shard ${id} runs as a replica`;
  const followed = sources.find((source) => source.id === id);
  if (followed?.state !== "following") return `the mover does not follow shard ${id} yet`;
  return followed.history === history ? undefined : `the mover follows another primary of shard ${id}`;
}

async function whyTargetsMayNot(targets: readonly ConnectedShard[]): Promise<string | undefined> {
  const found = await Promise.all(
    targets.flatMap(({ shard, primary, replicas }) =>
      [primary, ...replicas].map(async (engine) => {
        const { role, link } = await roleOf(engine);
        const is = `${engine.host}:${engine.port} of shard ${shard.id}`;
        if (role === "primary") return `${is} is a primary already`;
        return link?.status === "up" ? undefined : `${is} has no data yet`;
      }),
    ),
  );
  return found.find((reason) => reason !== undefined);
}
