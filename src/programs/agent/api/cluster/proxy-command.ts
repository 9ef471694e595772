import { z } from "zod";
import { CLIENTS_REQUEST_WORDS, CLIENTS_WORD_BYTES } from "../../../../ports/management/clients-question.ts";
import { MOST_KNOWN, SHARED_AT_ONCE } from "../../../../ports/management/scripts-question.ts";
import type { ProxyCommand } from "../../../../ports/management/proxy-control.ts";
import { MOST_SHARDS } from "../../../../core/api/database-spec.ts";
import { SLOTS } from "../../../../core/slots/slot.ts";

const bdb = z.int().positive();
/** The names of a move: leaders before 0.5.0 name no shard, and mean the first. */
const named = { bdb, shard: z.int().positive().exactOptional() };
const epoch = z.int().nonnegative();
const target = z.strictObject({
  host: z.ipv4().or(z.ipv6()),
  port: z.int().min(1).max(65_535),
  tls: z.literal(true).exactOptional(),
});
const set = z.strictObject({ version: z.int().nonnegative(), members: z.array(target), joining: z.array(target) });
const sync = z.strictObject({ withoutReplica: z.enum(["wait", "degrade"]), epoch, set: set.exactOptional() });
const milliseconds = z.int().nonnegative().max(600_000);

const slot = z
  .int()
  .min(0)
  .max(SLOTS - 1);
const shards = z
  .array(
    z.strictObject({
      id: z.int().positive(),
      epoch,
      primary: target.exactOptional(),
      sync: sync.exactOptional(),
      slots: z
        .array(z.strictObject({ from: slot, to: slot }))
        .max(SLOTS)
        .exactOptional(),
    }),
  )
  .min(1)
  .max(MOST_SHARDS);
/** The names of a change of all shards. */
const ofTable = { bdb, tableEpoch: z.int().positive() };

const clientsRequest = z.array(z.string().max(CLIENTS_WORD_BYTES)).min(1).max(CLIENTS_REQUEST_WORDS);

/** The commands that the leader may send to the proxy of another node. */
export const proxyCommand: z.ZodType<ProxyCommand> = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("prepare"), ...named, epoch, target }),
  z.strictObject({ op: z.literal("quiet"), ...named, withinMs: milliseconds }),
  z.strictObject({ op: z.literal("hold"), ...named, epoch, drainMs: milliseconds, holdMs: milliseconds }),
  z.strictObject({ op: z.literal("fence"), ...named, epoch }),
  z.strictObject({ op: z.literal("release"), ...named, epoch, target, sync: sync.exactOptional() }),
  z.strictObject({ op: z.literal("confirm"), ...named, epoch, version: z.int().nonnegative(), withinMs: milliseconds }),
  z.strictObject({ op: z.literal("logins"), bdb, step: z.int().nonnegative() }),
  z.strictObject({ op: z.literal("passwords"), bdb, revision: z.int().nonnegative(), withinMs: milliseconds }),
  z.strictObject({ op: z.literal("closed"), bdb, withinMs: milliseconds }),
  z.strictObject({ op: z.literal("abort"), ...named, epoch }),
  z.strictObject({ op: z.literal("prepare-table"), ...ofTable, shards }),
  z.strictObject({ op: z.literal("hold-table"), ...ofTable, drainMs: milliseconds, holdMs: milliseconds }),
  z.strictObject({ op: z.literal("release-table"), ...ofTable, shards }),
  z.strictObject({ op: z.literal("abort-table"), ...ofTable }),
  z.strictObject({ op: z.literal("drain"), deadlineMs: milliseconds }),
  z.strictObject({ op: z.literal("undrain") }),
  z.strictObject({ op: z.literal("clients"), bdb, request: clientsRequest }),
  z.strictObject({
    op: z.literal("scripts"),
    bdb,
    bodies: z.array(z.string()).max(SHARED_AT_ONCE.scripts).exactOptional(),
    flushed: z.literal(true).exactOptional(),
    known: z.array(z.string().length(40)).max(MOST_KNOWN).exactOptional(),
  }),
  z.strictObject({ op: z.literal("stats") }),
]);
