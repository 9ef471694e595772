import { z } from "zod";
import type { MoverReply } from "../mover-control.ts";

const count = z.int().nonnegative();

const SOURCE = z.strictObject({
  id: count,
  history: z.string(),
  offset: count,
  state: z.enum(["awaited", "copying", "following"]),
  keys: count,
  touched: count,
  misplaced: z
    .strictObject({ keys: count, example: z.strictObject({ database: count, name: z.string() }).exactOptional() })
    .exactOptional(),
});

const TARGET = z.strictObject({
  id: count,
  state: z.enum(["awaited", "copying", "loading", "following", "over"]),
  copiedBytes: count,
  sent: count,
  applied: count,
});

const STATUS = z.strictObject({
  sources: z.array(SOURCE),
  targets: z.array(TARGET),
  failure: z
    .strictObject({ code: z.string(), message: z.string() })
    .exactOptional()
    .describe("Why it cannot go on; absent while it can."),
});

/** What the mover of a node replies to a question of the leader. */
export const MOVER_REPLY: z.ZodType<MoverReply> = z
  .union([
    z.strictObject({ ok: z.literal(true), op: z.literal("begin"), ports: z.array(z.int()) }),
    z.strictObject({ ok: z.literal(true), op: z.literal("status"), status: STATUS }),
    z.strictObject({ ok: z.literal(true), op: z.literal("reach"), sources: z.array(SOURCE) }),
    z.strictObject({ ok: z.literal(false), code: z.string(), message: z.string() }),
  ])
  .meta({ id: "MoverReply" });
