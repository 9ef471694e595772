import { z } from "zod";
import type { Answered } from "./answered.ts";

/** State of an engine process as the agent of its node sees it. */
export const LOCAL_INSTANCE = z
  .strictObject({
    bdb: z.int().positive(),
    instance: z.int().positive(),
    state: z.enum(["starting", "serving", "draining", "stopped", "crashed"]),
    pid: z.int(),
    restarts: z.int().nonnegative(),
    launch: z.int().nonnegative().describe("Highest launch number this node has used for it."),
    lost: z
      .boolean()
      .exactOptional()
      .describe("Its data directory is gone or another one; absent from nodes of older releases."),
    failed_starts: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe("How often in a row it has ended before it served; absent from nodes of releases before 0.4.0."),
    last_words: z
      .string()
      .exactOptional()
      .describe("What its engine said when it ended unasked; absent from nodes of older releases."),
    crashes: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe(
        "How often in a row it has ended unasked within five minutes of serving; absent from nodes of releases before 0.5.0.",
      ),
    ended_by: z
      .string()
      .exactOptional()
      .describe("What ended it unasked last, for instance a signal; absent from nodes of releases before 0.5.0."),
    offset: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe(
        "What it had written to its replicas when it answered last, in bytes; absent before, and from nodes of releases before 0.4.0.",
      ),
    clean: z.boolean().exactOptional().describe("It ended when asked to; absent from nodes of older releases."),
  })
  .meta({ id: "LocalInstance" });

export type LocalInstance = Answered<typeof LOCAL_INSTANCE>;

/** What a node keeps on its volume of the record of a database. */
export const KEPT_RECORD = z.strictObject({ record: z.string().describe("The JSON of the record.") });

/** Answer of a node that is asked not to take over the databases of another one. */
export const VOUCHED = z.strictObject({
  promised_ms: z.int().nonnegative(),
  consent_tag: z
    .string()
    .exactOptional()
    .describe(
      "The same while this process of the node consents to no take-over from the other one; absent from nodes of releases before 0.5.0.",
    ),
});

/** Answer of a node that is asked whom it trusts. */
export const TRUST = z.strictObject({
  access_revision: z.int().nonnegative().describe("The passwords of the cluster that it has read; 0 before the first."),
  trusts: z
    .array(z.string())
    .describe("Digests of the authorities that all of it trusts: agent, proxy and running engines."),
  shows: z.array(z.string()).describe("Digests of those by which certificates are that any of it shows now."),
});

/** Answer of a voter that is asked to consent to a take-over from a node. */
export const CONSENT = z.strictObject({ consents: z.boolean() });
