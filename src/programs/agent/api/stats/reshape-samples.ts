import type { Samples } from "../../../../core/api/metrics/exposition.ts";
import type { DatabaseRecord, ReshapeIntent } from "../../../../core/api/records.ts";
import type { Clock } from "#kit/base/clock";
import type { MoverStatus } from "../../../../ports/management/mover-control.ts";
import type { NodeMovers } from "../../node/movers.ts";
import { databaseLabels } from "./endpoint-samples.ts";

/** What the metrics of shards that are being made are read from. */
export interface ReshapeSamplesContext {
  readonly node: number;
  readonly databases: readonly DatabaseRecord[];
  readonly movers: Pick<NodeMovers, "ask">;
  readonly clock: Pick<Clock, "now">;
}

/** The databases whose keys this node copies to other shards. */
export async function reshapeSamples(context: ReshapeSamplesContext): Promise<Samples> {
  const here = context.databases.flatMap((record) => {
    const { reshape } = record;
    return reshape?.mover.node === context.node && reshape.phase !== "retire" ? [{ record, reshape }] : [];
  });
  const known = await Promise.all(
    here.map(async ({ record, reshape }) => ({
      labels: databaseLabels(record),
      reshape,
      status: await statusOf(context, record, reshape),
    })),
  );
  const each = (value: (one: (typeof known)[number]) => number) =>
    known.map((one) => ({ labels: one.labels, value: value(one) }));
  return {
    store_reshape_seconds: each(({ reshape }) => secondsSince(reshape.since, context.clock.now())),
    store_reshape_attempt: each(({ reshape }) => reshape.attempt),
    store_reshape_copied_keys: each(({ status }) => sumOf(status?.sources, ({ keys }) => keys)),
    store_reshape_copied_bytes: each(({ status }) => sumOf(status?.targets, ({ copiedBytes }) => copiedBytes)),
  };
}

/** Undefined while it has not begun, and once it has ended. */
async function statusOf(
  { movers }: ReshapeSamplesContext,
  { uid: bdb }: DatabaseRecord,
  { attempt }: ReshapeIntent,
): Promise<MoverStatus | undefined> {
  const reply = await movers.ask({ bdb, attempt, question: { op: "status" } });
  return reply.ok && reply.op === "status" ? reply.status : undefined;
}

function secondsSince(iso: string, now: Date): number {
  return Math.max(0, (now.getTime() - Date.parse(iso)) / 1000);
}

function sumOf<T>(all: readonly T[] | undefined, value: (one: T) => number): number {
  return (all ?? []).reduce((sum, one) => sum + value(one), 0);
}
