import { databaseSpec, globalConfiguration } from "../../api/database-spec.ts";
import type { ActiveActiveRecord, SiteOfDatabase } from "../../api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { canonical } from "./canonical.ts";
import { evictionObjection } from "../admission/eviction.ts";
import { siteNumber } from "./numbers.ts";
import { shardsOfSite, countSlices } from "./slices.ts";

/** The StoreEnterpriseDatabase that was made for it on this participant. */
export interface ParticipantDatabase {
  readonly spec: Readonly<Record<string, unknown>>;
  /** The text that says which site it is; undefined while it is none. */
  readonly site: string | undefined;
}

/** What is done with it; its spec is written, and it is then managed as every other database is (§4.3.9). */
export type LinkedDatabaseAct =
  | { readonly kind: "make-database"; readonly spec: object; readonly site?: string }
  | { readonly kind: "write-database"; readonly spec: object; readonly site?: string };

export interface LinkedFacts {
  readonly cluster: string;
  readonly record: ActiveActiveRecord;
  readonly database: ParticipantDatabase | undefined;
  /** The remote cluster that stands for the own cluster. */
  readonly self: string;
  /** Every participant has been found ready for another version. */
  readonly mayUpgrade: boolean;
}

/** What makes the database as the record says, its version only when that may be; undefined when it is. */
export function linkedDatabaseAct(facts: LinkedFacts): LinkedDatabaseAct | undefined {
  const { record, database } = facts;
  const site = siteText(facts);
  const linked = site === undefined ? {} : { site };
  if (database === undefined) return { kind: "make-database", spec: specOf(facts, record.version), ...linked };
  const wanted = specOf(facts, versionFor(facts, database.spec["storeVersion"]));
  const isSite = site === undefined || site === database.site;
  if (canonicalSpec(wanted) === canonicalSpec(database.spec) && isSite) return undefined;
  return { kind: "write-database", spec: wanted, ...linked };
}

/** Which site a database is, as `siteText` has it; undefined when it says nothing of the kind. */
export function parseSite(text: string): SiteOfDatabase | undefined {
  const [, guid, site, slices] = /^([\w-]+)\/(\d+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (guid === undefined) return undefined;
  return { guid, site: Number(site), ...(slices === undefined ? {} : { slices: Number(slices) }) };
}

/** Undefined while the link cannot serve it: older nodes do not know links, or eviction would take what the link keeps. */
function siteText({ record, self }: LinkedFacts): string | undefined {
  const number = siteNumber(record, self);
  const policy = databaseSpec.shape.evictionPolicy.safeParse(record.configuration["evictionPolicy"]).data;
  const mayLink = record.numbers !== undefined && (policy === undefined || evictionObjection(policy) === undefined);
  if (!mayLink || number === undefined) return undefined;
  const slices = countSlices(record);
  return slices === 1 ? `${record.guid}/${number}` : `${record.guid}/${number}/${slices}`;
}

/** The version that is asked for, unless it is higher than what is there and may not be yet. */
function versionFor({ record, mayUpgrade }: LinkedFacts, has: unknown): string {
  if (typeof has !== "string" || mayUpgrade) return record.version;
  return (compareVersionText(record.version, has) ?? 0) > 0 ? has : record.version;
}

function specOf({ cluster, record, self }: LinkedFacts, version: string): object {
  const shardCount = shardsOfSite(record, self);
  const own = shardCount === countSlices(record) ? {} : { shardCount };
  return { ...record.configuration, ...own, storeEnterpriseCluster: { name: cluster }, storeVersion: version };
}

function canonicalSpec(spec: object): string {
  const parsed = globalConfiguration.safeParse(spec);
  return canonical(parsed.success ? parsed.data : spec);
}
