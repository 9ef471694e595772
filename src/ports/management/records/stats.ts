import { z } from "zod";
import type { Answered } from "./answered.ts";

/** Measurements of one moment: the metrics are members of it, each a number. */
export const MEASUREMENTS = z
  .object({
    interval: z.literal("1sec"),
    stime: z.iso.datetime(),
    etime: z.iso.datetime(),
  })
  .catchall(z.number())
  .meta({ id: "Metrics" });

export type MetricsRecord = Answered<typeof MEASUREMENTS>;

/** `GET /v1/<kind>/stats/<uid>`: no history is kept, so that there is one interval. */
export const STATS = z.strictObject({ uid: z.string(), intervals: z.array(MEASUREMENTS) }).meta({ id: "Stats" });

export type StatsRecord = Answered<typeof STATS>;

/** `GET /v1/cluster/stats`. */
export const CLUSTER_STATS = z.strictObject({ intervals: z.array(MEASUREMENTS) }).meta({ id: "ClusterStats" });

/** `GET /v1/<kind>/stats/last`: by uid. */
export const LAST_STATS = z.record(z.string(), MEASUREMENTS).meta({ id: "LastStats" });

export type LastStatsRecord = Answered<typeof LAST_STATS>;
