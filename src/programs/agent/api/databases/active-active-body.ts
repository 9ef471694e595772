import { z } from "zod";
import { shards } from "../../../../core/api/database-spec.ts";
import type { ActiveActiveRecord, RemoteSite } from "../../../../core/api/records.ts";
import { isDeeperThan } from "#kit/base/json-depth";
import { parseVersion } from "#kit/base/version";

/** Longest configuration of an Active-Active database, in bytes of JSON. */
const CONFIGURATION_BYTES = 16_384;
/** And its depth: a spec has four levels. */
const CONFIGURATION_LEVELS = 8;

const siteName = z
  .string()
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, "must be small letters, digits and hyphens");

const edit = z.strictObject({ count: z.int().positive(), author: siteName });

/** The record of an Active-Active database, as the operator of a participant sends it. */
export const activeActiveBody: z.ZodType<ActiveActiveRecord> = z.strictObject({
  guid: z.string().regex(/^[\w-]{1,64}$/, "must be 1 to 64 letters, digits, hyphens and underscores"),
  name: siteName,
  deleted: z.literal(true).exactOptional(),
  version: z.string().max(16).refine(isVersion, 'must be a version such as "8.0"'),
  participants: z
    .array(
      z.strictObject({
        name: siteName,
        namespace: z.string().max(63).optional(),
        externalReplicationPort: z.int().min(1).max(65_535).optional(),
        shardCount: shards.optional(),
      }),
    )
    .min(1)
    .max(16),
  configuration: z
    .record(z.string().max(64), z.unknown())
    .refine((given) => !isDeeperThan(given, CONFIGURATION_LEVELS), {
      error: `must be at most ${CONFIGURATION_LEVELS} levels deep`,
      abort: true,
    })
    .refine(
      (given) => JSON.stringify(given).length <= CONFIGURATION_BYTES,
      `must be at most ${CONFIGURATION_BYTES} long`,
    ),
  edit,
  numbers: z
    .strictObject({
      next: z.int().positive(),
      first: z.int().nonnegative().exactOptional(),
      given: z.array(z.strictObject({ name: siteName, id: z.int().positive() })).max(16),
      edit,
    })
    .exactOptional(),
});

const hostPart = z.string().min(1).max(253);

/** The remote clusters, as the operator sends them. */
export const remoteSitesBody: z.ZodType<readonly RemoteSite[]> = z
  .array(
    z.strictObject({
      name: siteName,
      local: z.literal(true).exactOptional(),
      host: hostPart,
      databaseSuffix: hostPart.exactOptional(),
      serverName: hostPart,
      authorities: z.string().max(16_384),
    }),
  )
  .max(64);

/** Which site of which Active-Active database a database is. */
export const siteOfDatabaseBody = z.strictObject({
  guid: z.string().max(64),
  site: z.int().min(1).max(63),
  slices: shards.exactOptional(),
});

/** Whether `text` is a version, of whatever length. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined;
}
