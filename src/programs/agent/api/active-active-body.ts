import { z } from "zod";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import { parseVersion } from "../../../core/base/version.ts";

/** Longest configuration of an Active-Active database, in bytes of JSON. */
const CONFIGURATION_BYTES = 16_384;

const siteName = z
  .string()
  .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, "must be small letters, digits and hyphens");

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
      }),
    )
    .min(1)
    .max(16),
  configuration: z
    .record(z.string().max(64), z.unknown())
    .refine(
      (given) => JSON.stringify(given).length <= CONFIGURATION_BYTES,
      `must be at most ${CONFIGURATION_BYTES} long`,
    ),
  edit: z.strictObject({ count: z.int().positive(), author: siteName }),
});

/** Whether `text` is a version, of whatever length. */
export function isVersion(text: string): boolean {
  return parseVersion(text) !== undefined;
}
