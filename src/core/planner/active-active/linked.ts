import { databaseSpec } from "../../api/database-spec.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { compareVersionText } from "../../base/version.ts";
import { canonical } from "./canonical.ts";

/** The StoreEnterpriseDatabase that was made for it on this participant. */
export interface LinkedDatabase {
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What is to be done with it; its spec is written, and it is then managed as every other database is (§4.3.9). */
export type LinkedDatabaseStep =
  | { readonly kind: "none" }
  | { readonly kind: "make-database"; readonly spec: object }
  | { readonly kind: "write-database"; readonly spec: object };

export interface LinkedFacts {
  readonly cluster: string;
  readonly record: ActiveActiveRecord;
  readonly database: LinkedDatabase | undefined;
  /** Every participant has been found ready for another version. */
  readonly mayUpgrade: boolean;
}

/** Keeps the database as the record says; its version follows only when that may be. */
export function linkedDatabaseStep(facts: LinkedFacts): LinkedDatabaseStep {
  const { record, database } = facts;
  if (database === undefined) return { kind: "make-database", spec: specOf(facts, record.version) };
  const wanted = specOf(facts, versionFor(facts, database.spec["storeVersion"]));
  return meaning(wanted) === meaning(database.spec) ? { kind: "none" } : { kind: "write-database", spec: wanted };
}

/** The version that is asked for, unless it is higher than what is there and may not be yet. */
function versionFor({ record, mayUpgrade }: LinkedFacts, has: unknown): string {
  if (typeof has !== "string" || mayUpgrade) return record.version;
  return (compareVersionText(record.version, has) ?? 0) > 0 ? has : record.version;
}

function specOf({ cluster, record }: LinkedFacts, version: string): object {
  return { ...record.configuration, storeEnterpriseCluster: { name: cluster }, storeVersion: version };
}

function meaning(spec: object): string {
  const parsed = databaseSpec.safeParse(spec);
  return canonical(parsed.success ? parsed.data : spec);
}
