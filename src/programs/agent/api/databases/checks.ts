import type { DatabaseModule, DatabaseRecord, StoreVersion } from "../../../../core/api/records.ts";
import type { SettingValues } from "../../../../core/api/settings/types.ts";
import { changesOfWire } from "../../../../core/api/settings/values.ts";
import type { BdbCreate } from "../../../../ports/management/records.ts";
import { compareVersionText } from "#kit/base/version";
import type { Member, Members } from "../../members/members.ts";
import type { NodeCapability } from "../../members/node-report.ts";
import { moduleNodes } from "../modules/module-nodes.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { engineTlsObjection } from "../../../../core/planner/database/engine-tls.ts";
import { type InstancePlace, type NewShards, placeShards } from "../../../../core/planner/database/place-shards.ts";
import { whyNoGrowth } from "../../../../core/planner/database/growth.ts";
import { wantsTls, type NodeFacts } from "../../../../core/planner/database/facts.ts";
import { gatherNodes, type NodeFactsContext } from "../../observation/node-facts.ts";
import { strictest } from "../../../../core/planner/admission/upgrade-policy.ts";
import { mayFollow } from "../../../../core/releases/engines/succession.ts";
import { parseEngine } from "../../../../core/releases/engines/engines.ts";
import { moduleObjection } from "../../../../core/planner/modules/node-modules.ts";
import { licenseOf, type LicenseContext } from "../cluster/license.ts";
import { refusals, refuse } from "../http/refusals.ts";

type UpgradePolicy = SettingValues["upgradePolicy"];

/** What the checks of a request read. */
export type CheckContext = LicenseContext & {
  readonly config: Pick<AgentConfig, "release">;
  readonly members: Pick<Members, "list">;
};

/** Refuses while the licence is not valid: databases are neither created nor changed then. */
export function requireLicense(context: CheckContext): void {
  const { state, reason } = licenseOf(context);
  if (state !== "Valid") throw refuse(refusals.licenseExpired, reason);
}

/** The policy that holds for a database with this setting, in this cluster. */
export function policyFor(records: Pick<Records, "state">, database: UpgradePolicy): UpgradePolicy {
  return strictest({ cluster: records.state()?.upgradePolicy, database });
}

/** Refuses while a node of an older release runs, which reports no such capability. */
export function requireCapability(context: CheckContext, capability: NodeCapability, does: string): void {
  const older = nodesWithout(context, capability)
    .filter(({ fresh }) => fresh)
    .map(nodeWithRelease);
  if (older.length > 0) throw refuse(refusals.olderNode, `no node of an older release ${does}: ${older.join(", ")}`);
}

/** A node that is known, also one that is away, reports no such capability. */
export function hasOlderNode(context: Pick<CheckContext, "members">, capability: NodeCapability): boolean {
  return nodesWithout(context, capability).length > 0;
}

/** The nodes that are known, also those that are away, and report no such capability. */
export function nodesWithout(
  { members }: Pick<CheckContext, "members">,
  capability: NodeCapability,
): readonly Member[] {
  return members.list().filter(({ report }) => !report.capabilities.includes(capability));
}

/** Refused while a node of an older release may lead: it would start a database without the data that it waits for. */
export function requireAwaiting(context: Pick<CheckContext, "members">): void {
  const older = nodesWithout(context, "awaited-data").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(
    refusals.olderNode,
    `no node of an older release lets a database wait for its data: ${older.join(", ")}`,
  );
}

/** A node in a sentence about its release. */
export function nodeWithRelease({ uid, report }: Member): string {
  return `node ${uid} (${report.operatorVersion})`;
}

/**
 * Refuses replies that wait for replicas where there are none, and while a node of an older release is a member, also one that is
 * away: replies of every database would pass again when it is back.
 */
export function requireDurability(
  context: CheckContext,
  name: string,
  { durability, replication }: Pick<SettingValues, "durability" | "replication">,
): void {
  if (durability !== "sync") return;
  if (!replication) {
    const why = `replies of "${name}" cannot wait for replicas: it has none without replication`;
    throw refuse(refusals.invalidDurability, why);
  }
  requireWaiting(context);
}

function requireWaiting(context: Pick<CheckContext, "members">): void {
  const older = nodesWithout(context, "sync-replies").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(refusals.olderNode, `no node of an older release lets replies wait for replicas: ${older.join(", ")}`);
}

/**
 * Refuses TLS without the certificates that it takes, and while a node of an older release is a member, also one that is away: its
 * endpoint would speak without.
 */
export function requireTls(
  context: CheckContext,
  { name, tlsMode, certificate }: Pick<DatabaseRecord, "name" | "tlsMode" | "certificate">,
): void {
  if (tlsMode === "disabled") return;
  if (certificate === undefined) throw refuse(refusals.noCertificate, `the endpoints of "${name}" have no certificate`);
  if (tlsMode === "mutual" && certificate.clientAuthorities === "")
    throw refuse(refusals.noCertificate, `no authority of the clients of "${name}" is named`);
  requireTlsNodes(context);
}

function requireTlsNodes(context: Pick<CheckContext, "members">): void {
  const older = nodesWithout(context, "client-tls").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(refusals.tlsNotOffered, `endpoints of an older release speak no TLS: ${older.join(", ")}`);
}

/** Refuses that clients see a cluster while a node of an older release is a member, also one that is away: its endpoint would say that there is none. */
export function requireCluster(
  context: Pick<CheckContext, "members">,
  { ossCluster = false }: Partial<Pick<SettingValues, "ossCluster">>,
): void {
  const older = ossCluster ? nodesWithout(context, "cluster-clients").map(nodeWithRelease) : [];
  if (older.length === 0) return;
  throw refuse(refusals.olderNode, `endpoints of an older release show clients no cluster: ${older.join(", ")}`);
}

/** Refuses what no leader of an older release knows: that would refuse the field, and not say why. */
export function requireKnownTo(context: Pick<CheckContext, "members">, body: Partial<BdbCreate>): void {
  const { durability, tlsMode = "disabled", ...others } = changesOfWire(body);
  requireCluster(context, others);
  if (durability === "sync") requireWaiting(context);
  if (tlsMode !== "disabled" || body.tls_certificate !== undefined) requireTlsNodes(context);
}

/** Refuses a site while a node of an older release is a member: its endpoint would take what no link can carry. */
export function requireKnownLinks(context: Pick<CheckContext, "members">): void {
  const older = nodesWithout(context, "site-links").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(refusals.olderNode, `no node of an older release knows links between sites: ${older.join(", ")}`);
}

/** Refuses parameters of clients while a node of an older release is a member, also one that is away: it would not apply them. */
export function requireClientParameters(context: Pick<CheckContext, "members">): void {
  const older = nodesWithout(context, "client-parameters").map(nodeWithRelease);
  if (older.length === 0) return;
  throw refuse(refusals.olderNode, `no node of an older release applies what CONFIG SET sets: ${older.join(", ")}`);
}

/** Refuses TLS while the engine of a node speaks none. */
export function requireEngineTls(
  { members }: CheckContext,
  record: Pick<DatabaseRecord, "tlsMode">,
  storeVersion: StoreVersion,
): void {
  if (!wantsTls(record)) return;
  const nodes = members
    .list()
    .map(({ uid, report }) => ({ uid, release: report.operatorVersion, engines: report.engines }));
  const objection = engineTlsObjection(nodes, storeVersion);
  if (objection !== undefined) throw refuse(refusals.engineWithoutTls, objection);
}

/** Refuses modules that some node has neither with its engine of this version nor as an installed build, or not yet. */
export function requireModules(
  context: CheckContext,
  wanted: readonly DatabaseModule[],
  storeVersion: StoreVersion,
): void {
  const installed = context.records.state()?.modules ?? [];
  const nodes = moduleNodes(context.members);
  for (const { name } of wanted) {
    const objection = moduleObjection(nodes, installed, { name, storeVersion });
    if (objection === undefined) continue;
    throw refuse(objection.kind === "late" ? refusals.busy : refusals.missingModule, objection.message);
  }
}

/** Refuses a name that another database has. */
export function requireFreeName(context: CheckContext, name: string, except?: number): void {
  const other = context.records.databases().find((record) => record.name === name && record.uid !== except);
  if (other !== undefined) throw refuse(refusals.nameTaken, `database ${other.uid} has the name "${name}" already`);
}

/** How long nodes may take to report what they set aside, in milliseconds. */
const REPORTED_MS = 30_000;

/** Refuses the name of a database whose record has vanished while its data is there: an empty one would stand in its place. */
export function requireNothingSetAside(
  { members, records }: CheckContext & { readonly records: Pick<Records, "vanishedWithin"> },
  name: string,
): void {
  const nodes = members.list().filter(({ report }) => report.setAside.some((one) => one.name === name));
  const where = nodes.length === 0 ? "" : ` on node ${nodes.map(({ uid }) => uid).join(", ")}`;
  if (nodes.length > 0 || records.vanishedWithin(REPORTED_MS).includes(name))
    throw refuse(refusals.dataSetAside, `the record of "${name}" has vanished, and its data is set aside${where}`);
}

/** Where the instances of a new database go; a refusal that names the reason of each node when one finds no place. */
export function placeDatabase(
  context: CheckContext,
  nodes: readonly NodeFacts[],
  wanted: Omit<NewShards, "nodes" | "everything" | "bdb" | "firstInstance">,
): readonly (readonly InstancePlace[])[] {
  const everything = placedInstances(context.records.databases());
  const bdb = context.records.state()?.nextDatabase ?? 1;
  const placed = placeShards({ ...wanted, nodes, everything, bdb, firstInstance: 1 });
  if (!("id" in placed)) return placed.places;
  throw refuse(
    placed.role === "replica" ? refusals.invalidReplication : refusals.insufficientResources,
    placed.evidence,
  );
}

/** Refuses a database that grows, or gets a replica, for which the nodes that hold it, or all others, have no room. */
export async function requireRoom(
  context: CheckContext & NodeFactsContext,
  before: DatabaseRecord,
  after: DatabaseRecord,
): Promise<void> {
  const refusal = whyNoGrowth({
    before,
    after,
    nodes: await gatherNodes(context),
    others: placedInstances(context.records.databases().filter(({ uid }) => uid !== before.uid)),
  });
  if (refusal !== undefined) throw refuse(refusals.insufficientResources, refusal);
}

/** Refuses a target that is older, unknown to this release, or that the serving engine's data cannot move to. */
export function requireUpgradePath(
  context: CheckContext,
  record: DatabaseRecord,
  target: StoreVersion,
  serving: string,
): void {
  if ((compareVersionText(target, record.storeVersion) ?? 0) < 0) {
    throw refuse(
      refusals.invalidVersion,
      `"${record.name}" is at ${record.storeVersion}; databases never go back to ${target}`,
    );
  }
  const offers = context.members
    .list()
    .flatMap(({ report }) => report.engines.filter((one) => one.storeVersion === target));
  const from = parseEngine(serving);
  if (offers.length === 0) throw refuse(refusals.invalidVersion, `no node has an engine for ${target}`);
  if (from === undefined) return;
  const verdicts = offers
    .map(({ engine }) => parseEngine(engine))
    .map((to) => (to === undefined ? undefined : mayFollow(from, to)));
  const objection = verdicts.find((verdict) => verdict?.allowed === false);
  if (objection !== undefined) {
    throw refuse(
      refusals.invalidVersion,
      `${record.storeVersion} to ${target} is not possible here: ${objection.reason}`,
    );
  }
}
