import { z } from "zod";
import { DATABASE_SETTINGS } from "./database-settings.ts";
import { SETTING_NAMES } from "./table.ts";
import type { ChangeFields, CreateFields, SpecFields, StoredFields } from "./types.ts";

const SETTINGS = Object.entries(DATABASE_SETTINGS);

/** The fields of `spec` of a StoreEnterpriseDatabase. */
export const SPEC_FIELDS = fields<SpecFields>(SETTINGS.map(([, { specName, specField }]) => [specName, specField]));

/** The fields of a record. One that an older release has written may lack a setting. */
export const STORED_FIELDS = fields<StoredFields>(
  SETTING_NAMES.map((name) => [name, withFallback(DATABASE_SETTINGS[name])]),
);

/** The fields of the body that changes a database. */
export const CHANGE_FIELDS = fields<ChangeFields>(
  SETTINGS.map(([, { wireName, accepted }]) => [wireName, z.exactOptional(accepted)]),
);

/** The fields of the body that makes a database. */
export const CREATE_FIELDS = fields<CreateFields>(
  SETTINGS.map(([, { wireName, accepted, fallback }]) => [
    wireName,
    fallback === undefined ? accepted : z.exactOptional(accepted),
  ]),
);

/** The fields of an answer that shows a database; those of a node of an older release may lack a setting. */
export const ANSWERED_FIELDS = fields<CreateFields>(
  SETTINGS.map(([, { wireName, stored, fallback }]) => [
    wireName,
    fallback === undefined ? stored : z.exactOptional(stored as z.ZodType),
  ]),
);

function withFallback({ stored, fallback }: { readonly stored: z.ZodType; readonly fallback: unknown }): z.ZodType {
  return fallback === undefined ? stored : stored.default(fallback);
}

/** The types are derived from the same table, entry by entry, as the entries that are given here. */
function fields<Fields>(entries: readonly (readonly [keyof Fields, z.ZodType])[]): Fields {
  return Object.fromEntries(entries) as Fields;
}
