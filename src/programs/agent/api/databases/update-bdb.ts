import { askedShards } from "../../../../core/api/every-shard.ts";
import { hasAskedTable } from "../../../../core/planner/database/replaced-shards.ts";
import type { EndpointCertificate } from "../../../../core/api/endpoint-certificate.ts";
import type { DatabaseModule, DatabaseRecord } from "../../../../core/api/records.ts";
import { changesOfWire } from "../../../../core/api/settings/values.ts";
import type { BdbChange } from "../../../../ports/management/records.ts";
import { requestedModules } from "./asked-modules.ts";
import { awaitEndpoints } from "./await-endpoints.ts";
import { certificateOf, isSameCertificate, shownOf } from "./change-certificate.ts";
import { changeParts } from "./change-parts.ts";
import { checkedPasswords } from "./change-passwords.ts";
import {
  requireCluster,
  requireDurability,
  requireEngineTls,
  requireFreeName,
  requireLicense,
  requireRoom,
  requireTls,
} from "./checks.ts";
import { numberOfSlices } from "../../../../core/slots/site-slices.ts";
import { asksSame, withAskedShards } from "./asked-shards.ts";
import { planOfChange, requireShardCount, requireSharding, requireShardsOf } from "./shard-checks.ts";
import { withClusterPort } from "./endpoint-ports.ts";
import { requireIdle, runningAction } from "./record-changes.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { requireSite } from "./require-site.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Changes name, settings, certificate or password of a database; refuses a change of what is fixed, and one of name or settings while
 * another change runs. Every part is checked before the first is written. A request that changes nothing is answered, whatever the state.
 */
export async function updateBdb(context: WriteContext, seen: DatabaseRecord, body: BdbChange): Promise<DatabaseRecord> {
  requireChangeable(context, seen, body);
  const certificate = checkedCertificate(context, seen, body);
  const shown = certificate === undefined ? seen : { ...seen, certificate: shownOf(certificate) };
  const settings = await checkedSettings(context, shown, body);
  const { authentication_redis_pass: password } = body;
  const change = password === undefined ? undefined : ({ kind: "change", password } as const);
  const passwords = change && (await checkedPasswords(context, seen, change));
  if (certificate === undefined && settings === undefined && passwords === undefined) return seen;
  const record = await changeParts(context, seen, { certificate, settings, passwords });
  if (change !== undefined && passwords !== undefined) await awaitEndpoints(context, record, change);
  return record;
}

/** The certificate that is given; undefined when it is the present one. It is taken also while the licence is not valid. */
function checkedCertificate(
  context: WriteContext,
  seen: DatabaseRecord,
  { tls_certificate: given }: BdbChange,
): EndpointCertificate | undefined {
  if (given === undefined) return undefined;
  const certificate = certificateOf(given, context.clock.now());
  requireTls(context, { ...seen, certificate: shownOf(certificate) });
  return isSameCertificate(seen.certificate, shownOf(certificate)) ? undefined : certificate;
}

/** How the settings of the record change; undefined when they do not. */
async function checkedSettings(
  context: WriteContext,
  seen: DatabaseRecord,
  body: BdbChange,
): Promise<((record: DatabaseRecord) => DatabaseRecord) | undefined> {
  if (!hasChanges(seen, body)) return undefined;
  requireLicense(context);
  if (body.name !== undefined) requireFreeName(context, body.name, seen.uid);
  requireDurability(context, seen.name, withChanges(seen, body));
  requireTls(context, withChanges(seen, body));
  requireCluster(context, withChanges(seen, body));
  requireSite(context, withChanges(seen, body));
  // one that has TLS may be changed otherwise while an engine lacks it
  if (seen.tlsMode === "disabled") requireEngineTls(context, withChanges(seen, body), seen.storeVersion);
  requireShardsOf(context, seen, withChanges(seen, body));
  await requireRoom(context, seen, withChanges(seen, body));
  await planOfChange(context, seen, withChanges(seen, body));
  const now = context.clock.now().toISOString();
  const change = (record: DatabaseRecord): DatabaseRecord => withSettings(context, record, body, now);
  change(seen);
  return change;
}

function withSettings(context: WriteContext, record: DatabaseRecord, body: BdbChange, now: string): DatabaseRecord {
  if (!hasChanges(record, body)) return record;
  // replies may wait for what the running change waits for too, and that may wait for more memory
  if (isAwaited(body, record) && record.status === "active-change-pending") return withChanges(record, body);
  requireIdle(record);
  return {
    ...withClusterPort(context, withChanges(record, body)),
    status: record.status === "creation-failed" ? "pending" : "active-change-pending",
    lastChangedTime: now,
    lastAction: runningAction("update_bdb"),
  };
}

/**
 * True for a change that only decides when replies are given, or gives memory and takes none: a change that waits may wait for it. Another number of shards may be
 * asked for while one is made, which ends that.
 */
function isAwaited(body: BdbChange, record: DatabaseRecord): boolean {
  const { memory_size: bytes = record.memoryBytes } = body;
  return bytes >= record.memoryBytes && Object.keys(body).every((name) => AWAITED.has(name));
}

const AWAITED: ReadonlySet<string> = new Set([
  "durability",
  "without_replica",
  "memory_size",
  "shards_count",
  "shard_slots",
  "sharding",
  "may_discard_data",
]);

function namesOf(modules: readonly DatabaseModule[]): string {
  return modules
    .map(({ name, args }) => (args === "" ? name : `${name} (${args})`))
    .toSorted()
    .join(", ");
}

function hasChanges(record: DatabaseRecord, body: BdbChange): boolean {
  return JSON.stringify(withChanges(record, body)) !== JSON.stringify(record);
}

function withChanges(record: DatabaseRecord, body: BdbChange): DatabaseRecord {
  const site = body.active_active === undefined ? {} : { activeActive: body.active_active };
  return { ...withShards(record, body), name: body.name ?? record.name, ...changesOfWire(body), ...site };
}

/** Consent holds for the shards that it was given with. */
function withShards(record: DatabaseRecord, body: BdbChange): DatabaseRecord {
  const { may_discard_data: consents = false } = body;
  const next = withAskedShards(record, body);
  const isOther = !asksSame(next, record);
  const { mayDiscardMisplaced: given, ...others } = next;
  const asked = isOther ? others : record;
  const isNew = consents && !hasAskedTable(asked) && (isOther || given === undefined);
  return isNew ? { ...asked, mayDiscardMisplaced: true } : asked;
}

/** What is merged of each slice would be lost with others. */
function requireSameSlices(
  { name, activeActive }: DatabaseRecord,
  { active_active: asked = activeActive }: BdbChange,
): void {
  const [has, wanted] = [numberOfSlices(activeActive), numberOfSlices(asked)];
  if (has === wanted || has === undefined || wanted === undefined) return;
  const why = `"${name}" is merged in ${has} ranges of slots, and would be in ${wanted}: that cannot be changed`;
  throw refuse(refusals.unchangeable, why);
}

function requireChangeable(context: WriteContext, record: DatabaseRecord, body: BdbChange): void {
  const has = askedShards(record);
  const next = withAskedShards(record, body);
  const count = askedShards(next);
  const slices = numberOfSlices(body.active_active ?? record.activeActive);
  requireSharding(body, count);
  requireSameSlices(record, body);
  const modules = (record.modules ?? []).map(({ name }) => name);
  requireShardCount(context, { count, has, slices, modules }, !asksSame(next, record));
  if (body.may_discard_data === true && hasAskedTable(next)) {
    const why = `"${record.name}" keeps its ${count} shards, and all keys with them: there is nothing to agree to`;
    throw refuse(refusals.nothingDiscarded, why);
  }
  if (body.module_list !== undefined && namesOf(requestedModules(body.module_list)) !== namesOf(record.modules ?? [])) {
    throw refuse(
      refusals.unchangeable,
      `the modules of "${record.name}" are ${namesOf(record.modules ?? []) || "none"} and cannot be changed`,
    );
  }
  if (body.port !== undefined && body.port !== record.port) {
    throw refuse(refusals.unchangeable, `the port of "${record.name}" is ${record.port} and cannot be changed`);
  }
  if (body.redis_version !== undefined && body.redis_version !== record.storeVersion) {
    throw refuse(
      refusals.unchangeable,
      `"${record.name}" is at ${record.storeVersion}; ask for another version with POST /v1/bdbs/${record.uid}/upgrade`,
    );
  }
}
