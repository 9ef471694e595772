import type { DatabaseRecord } from "../../../src/core/api/records.ts";
import { shardName } from "../../../src/core/planner/database/facts.ts";
import { slotsOf } from "../../../src/core/slots/shard-slots.ts";
import { connectEngine } from "../../../src/ports/resp/engine-client.ts";
import { KEYS } from "../world/filled-database.ts";
import { hasKey } from "./changes.ts";
import type { Load } from "./load.ts";
import { brokenBetween, brokenOrders } from "./order.ts";
import type { Played } from "./play.ts";
import type { Schedule } from "./schedule.ts";
import { NODES, type Scene } from "./scene.ts";

/** What a seed showed. */
export interface Verdict {
  readonly seed: number;
  readonly faults: number;
  readonly moves: number;
  /** How often the primary changed or started again. */
  readonly changes: number;
  readonly operations: number;
  /** Answers to clients that live with keys of their own, each compared with a model. */
  readonly answers: number;
  readonly acknowledged: number;
  /** Acknowledged writes that are gone. */
  readonly lost: number;
  readonly healedMs: number;
  /** Each a sentence; empty when the seed has passed. */
  readonly failures: readonly string[];
}

/** Sentences of a log that no ordinary fault explains. */
const DEFECT = /uncaught|unhandled|TypeError|ReferenceError|RangeError|AssertionError|ERR_INTERNAL|not a function/i;

/** Judges what a schedule showed: order, lost writes, the other database, and the logs. */
export async function judge(scene: Scene, schedule: Schedule, played: Played): Promise<Verdict> {
  const { loads, changes, healedMs } = played;
  const operations = loads.flatMap((load) => load.operations);
  const written = loads.flatMap((load) => load.written);
  const there = await present(
    scene,
    written.map(({ key }) => key),
  );
  const lost = written.filter(({ key }) => !there.has(key));
  const record = await scene.record();
  const silent = lost.filter(({ key }) => !isReported(key, record));
  // one fault is what a database survives whose replies wait for its replica
  const losesNothing = schedule.faults.length <= (record.durability === "sync" ? 1 : 0);
  const broken = losesNothing ? brokenOrders(operations) : brokenBetween(operations, changes);
  const stories = judgeStories(schedule, played, losesNothing);
  const failures = [
    ...stories.wrong,
    ...broken.map((order) => `no order explains ${order}`),
    ...(lost.length > 0 && losesNothing ? [`${lost.length} acknowledged writes are lost, and none may be`] : []),
    ...(silent.length > 0
      ? [`${silent.length} acknowledged writes are lost in silence: ${wordsOf(silent, record)}`]
      : []),
    ...(await bystanderHarmed(scene)),
    ...NODES.flatMap((node) => defects(scene, node)),
  ];
  return {
    seed: schedule.seed,
    faults: schedule.faults.length,
    moves: schedule.moves.length,
    changes: changes.length,
    operations: operations.length,
    answers: stories.answers,
    acknowledged: written.length,
    lost: lost.length,
    healedMs,
    failures,
  };
}

/** A report says that its shard may have lost writes. */
function isReported(key: string, record: DatabaseRecord): boolean {
  const { lossReports, shards } = record;
  const shard = shards.find((one) => hasKey(slotsOf(one), key));
  return lossReports.some((report) => shards.length === 1 || (shard && report.includes(shardName(record, shard.id))));
}

function wordsOf(silent: Load["written"], { lossReports }: DatabaseRecord): string {
  return JSON.stringify({ first: silent.slice(0, 3), last: silent.at(-1), lossReports });
}

/** What is wrong with the answers to clients with keys of their own. */
function judgeStories(
  { faults, eviction }: Schedule,
  { lives, changes, changesOfFull, beganNs }: Played,
  losesNothing: boolean,
): { readonly answers: number; readonly wrong: readonly string[] } {
  const clocks = faults.filter(({ what }) => what.kind === "clock").map(({ fromMs }) => beganNs + fromMs * 1e6);
  const around = { changes, losesNothing, isCalm: faults.length === 0, timesHoldUntil: Math.min(...clocks) };
  const ofFull = { ...around, changes: changesOfFull, eviction };
  const judged = lives.flatMap(({ isFull, judge }) => judge(isFull ? ofFull : around));
  const answers = judged.reduce((sum, one) => sum + one.answers, 0);
  return { answers, wrong: judged.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong])) };
}

/** Which of these keys there are. */
async function present({ cluster, port }: Scene, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const client = await connectEngine({ host: cluster.address(1), port, timeoutMs: 10_000 });
  const values = await Promise.all(keys.map((key) => client.call("EXISTS", key)));
  client.close();
  return new Set(keys.filter((_, at) => values[at] === 1));
}

async function bystanderHarmed({ bystander }: Scene): Promise<readonly string[]> {
  const keys = await bystander.keys();
  const { loss_reports: reports = [] } = (await bystander.seen()) ?? {};
  if (keys === KEYS) return [];
  return [`the other database has ${String(keys)} of ${KEYS} keys, and says: ${reports.join("; ")}`];
}

function defects({ cluster }: Scene, node: number): readonly string[] {
  const lines = cluster.log(node).split("\n");
  return lines
    .filter((line) => DEFECT.test(line))
    .slice(0, 3)
    .map((line) => `node ${node}: ${line}`);
}
