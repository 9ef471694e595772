/** Database versions that may be asked for (§2.3). */
export const STORE_VERSIONS = ["7.2", "7.4", "8.0", "8.2"] as const;
/** Database versions that clusters run: an older one is known to the management API alone, and can only be upgraded from (§9). */
export const DATABASE_VERSIONS = ["6.2", ...STORE_VERSIONS] as const;
export type StoreVersion = (typeof DATABASE_VERSIONS)[number];
/** One that `spec.storeVersion` may say. */
export type AskedVersion = (typeof STORE_VERSIONS)[number];
