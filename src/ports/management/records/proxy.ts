import { z } from "zod";
import type { ProxyReply } from "../proxy-control.ts";

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative();

const OUTSTANDING_REQUEST = z.strictObject({ client: z.string(), command: z.string(), ageMs: milliseconds });

const DISTRIBUTION = z.strictObject({ counts: z.array(count), sum: z.number().nonnegative() });

const COUNTED = z.strictObject({
  receivedBytes: count,
  sentBytes: count,
  errors: count,
  pins: count,
  switchovers: count,
  failovers: count,
  answered: DISTRIBUTION,
  answeredLate: DISTRIBUTION,
  holds: DISTRIBUTION,
  outages: DISTRIBUTION,
  moved: count.exactOptional().describe("Absent from nodes of releases before 0.6.0."),
  forwarded: count.exactOptional().describe("Absent from nodes of releases before 0.6.0."),
});

const ENDPOINT_COUNTERS = z.strictObject({
  bdb: z.int().positive(),
  epoch: count,
  listening: z.boolean(),
  held: z.boolean(),
  clients: count,
  inFlight: count,
  requests: count,
  cut: count,
  holdsExpired: count,
  resent: count,
  counted: COUNTED.exactOptional().describe("Absent from nodes of releases before 0.4.0."),
  oldest: OUTSTANDING_REQUEST.exactOptional().describe("Absent from nodes of releases before 0.4.0."),
});

/** What the proxy of a node replies to a command of the leader. */
export const PROXY_REPLY: z.ZodType<ProxyReply> = z
  .union([
    z.strictObject({ ok: z.literal(true), op: z.literal("configure"), refused: z.array(z.int()) }),
    z.strictObject({
      ok: z.literal(true),
      op: z.enum(["lease", "prepare", "fence", "abort", "undrain", "prepare-table", "abort-table"]),
    }),
    z.strictObject({ ok: z.literal(true), op: z.literal("quiet"), waitsFor: z.array(OUTSTANDING_REQUEST) }),
    z.strictObject({ ok: z.literal(true), op: z.enum(["hold", "hold-table"]), drainMs: milliseconds }),
    z.strictObject({ ok: z.literal(true), op: z.enum(["release", "release-table"]), heldMs: milliseconds }),
    z.strictObject({ ok: z.literal(true), op: z.literal("drain"), closed: count, remaining: count }),
    z.strictObject({ ok: z.literal(true), op: z.literal("clients"), lines: z.string(), count }),
    z.strictObject({ ok: z.literal(true), op: z.literal("scripts"), bodies: z.array(z.string()), more: z.boolean() }),
    z.strictObject({ ok: z.literal(true), op: z.literal("stats"), endpoints: z.array(ENDPOINT_COUNTERS) }),
    z.strictObject({ ok: z.literal(false), code: z.string(), message: z.string() }),
  ])
  .meta({ id: "ProxyReply" });
