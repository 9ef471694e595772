import { z } from "zod";
import type { MoverQuestion } from "../../../../ports/management/mover-control.ts";

const count = z.int().nonnegative();

/** What the leader may ask the mover of another node. */
export const moverQuestion: z.ZodType<MoverQuestion> = z.strictObject({
  bdb: z.int().positive(),
  attempt: count,
  question: z.discriminatedUnion("op", [
    z.strictObject({ op: z.literal("status") }),
    z.strictObject({
      op: z.literal("reach"),
      sources: z.array(z.strictObject({ id: count, offset: count })),
      withinMs: count.max(60_000),
    }),
  ]),
});
