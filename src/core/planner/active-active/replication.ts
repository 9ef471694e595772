import { databaseSpec } from "../../api/database-spec.ts";
import { deleteActiveActive, describeObject, getObjects } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { block, pause, wait } from "../findings/finding.ts";
import { conditionWords, type ConditionWords, type Statement } from "../findings/statement.ts";
import { evictionObjection } from "../admission/eviction.ts";
import { differingFinding, notCompared, type KeyAgreement } from "./site-agreement.ts";
import { siteNumber } from "./numbers.ts";

/** How the operations of another site arrive here. */
export interface SiteReplication {
  readonly name: string;
  readonly state: "up" | "syncing" | "down";
  /** Undefined while it is not known. */
  readonly since: string | undefined;
  /** Why it is not up, a sentence; empty while it is. */
  readonly cause: string;
  /** For how long this site lacks what the other one has written, and the other way round; absent while it is not known. */
  readonly behindMs?: number | undefined;
  readonly unconfirmedMs?: number | undefined;
  /** Whether all keys are the same at both; absent while it is not known. */
  readonly agreement?: KeyAgreement | undefined;
}

/** Everything that is known of the replication of an Active-Active database at one site. */
export interface ReplicationFacts {
  /** The remote cluster that stands for the own cluster; undefined when none does. */
  readonly self: string | undefined;
  /** Names of the participants. */
  readonly participants: readonly string[];
  /** Undefined while nothing is known of the database. */
  readonly record: ActiveActiveRecord | undefined;
  /** Nodes of the own cluster that know no links, each with its version. */
  readonly olderNodes: readonly string[];
  /** What the own cluster says of its link; undefined while it does not answer. */
  readonly link: LinkFacts | undefined;
}

/** What a cluster says of its link. */
export interface LinkFacts {
  /** Why nothing is captured here, a sentence; empty while all is. */
  readonly cause: string;
  /** Clients of this site wait until it has what the others hold. */
  readonly awaitsSites: boolean;
  readonly sites: readonly SiteReplication[];
}

/** What the status of an Active-Active database says of its replication. */
export interface Replication {
  readonly status: "up" | "down";
  /** State of each participant for which one is known, by name. */
  readonly sites: ReadonlyMap<string, SiteReplication["state"]>;
  readonly statement: Statement;
}

/** Whether data crosses between the sites, from facts alone; a reason with what clears it when it does not. */
export function replicationOf(facts: ReplicationFacts): Replication {
  const { self, participants, link } = facts;
  const others = participants.filter((name) => name !== self);
  const known = new Map(link?.sites.map(({ name, state }) => [name, state]));
  const sites = self === undefined || link === undefined ? known : known.set(self, link.cause === "" ? "up" : "down");
  const hindrance = whyNot(facts, others);
  if (hindrance !== undefined)
    return { status: "down", sites, statement: replicatingStatement("False", conditionWords(hindrance)) };
  const differing = differingFinding(link?.sites ?? [], facts.record?.name ?? "");
  if (differing !== undefined)
    return { status: "up", sites, statement: replicatingStatement("False", conditionWords(differing)) };
  const all = others.length === 0 ? "there is no other site" : `every other site is up: ${others.join(", ")}`;
  const message = [all, ...notCompared(link?.sites ?? [])].join("; ");
  return { status: "up", sites, statement: replicatingStatement("True", { reason: "AllUp", message }) };
}

function whyNot(facts: ReplicationFacts, others: readonly string[]): Finding | undefined {
  const { self, olderNodes, record, link } = facts;
  if (olderNodes.length > 0) {
    const remedy = `upgrade the cluster of this site: ${describeObject("rec")}`;
    return block("NodesTooOld", `nodes of older releases know no link: ${olderNodes.join(", ")}`, remedy);
  }
  const why = record && self !== undefined ? whyNoLink(record, self) : undefined;
  if (why !== undefined) return why;
  if (link === undefined)
    return pause("LinkUnknown", `the cluster of this site does not say how its link is: ${describeObject("rec")}`);
  const sites = others.map((name) => link.sites.find((site) => site.name === name) ?? unknownSite(name));
  if (link.awaitsSites) return whyStillJoining(link.cause, sites);
  if (link.cause !== "") return pause("NotCaptured", `nothing is sent to other sites: ${link.cause}`);
  return whyNotAll(sites);
}

/** Every other site has to answer once, and the proxies let clients in when all is here. */
function whyStillJoining(cause: string, sites: readonly SiteReplication[]): Finding {
  const joining = "clients of this site wait until it has what the others hold";
  if (cause !== "") {
    const remedy = "bring back a site that does not answer, or take it out of participatingClusters";
    return wait("Joining", `${joining}: ${cause}`, remedy);
  }
  const missing = whyNotAll(sites);
  if (missing === undefined) return pause("Joining", `${joining}: all is here, and clients are about to be let in`);
  return { ...missing, id: "Joining", evidence: `${joining}: ${missing.evidence}` };
}

/** What this release cannot link at all. */
function whyNoLink(record: ActiveActiveRecord, self: string): Finding | undefined {
  const policy = databaseSpec.shape.evictionPolicy.safeParse(record.configuration["evictionPolicy"]).data;
  const objection = policy && evictionObjection(policy);
  if (objection !== undefined) return block("EvictionPolicy", objection, "change evictionPolicy");
  if (!record.participants.some(({ name }) => name === self)) {
    const until = `its database stays until you delete the object here: ${deleteActiveActive(record.name)}`;
    return pause(
      "NotParticipating",
      `this cluster is none of the participants any more, and replicates nothing; ${until}`,
    );
  }
  if (siteNumber(record, self) !== undefined) return undefined;
  const remedy = "make another Active-Active database, and copy the data";
  return block("NumbersUsedUp", "all 63 numbers of sites have been given, and none is given twice", remedy);
}

function whyNotAll(sites: readonly SiteReplication[]): Finding | undefined {
  const down = sites.filter(({ state }) => state === "down");
  const missing = down.length > 0 ? down : sites.filter(({ state }) => state === "syncing");
  if (missing.length === 0) return undefined;
  const each = missing.map(({ name, state, since, cause }) => {
    const when = since === undefined ? "" : ` since ${since}`;
    return `"${name}" is ${state}${when}${cause === "" ? "" : `: ${cause}`}`;
  });
  if (down.length === 0) return pause("Syncing", each.join("; "));
  const remedy = `check that the replication port of each is reached from here (docs/active-active.md), and ${getObjects("rerc")}`;
  return wait("SiteDown", each.join("; "), remedy);
}

function unknownSite(name: string): SiteReplication {
  return { name, state: "down", since: undefined, cause: "the link does not know it yet" };
}

function replicatingStatement(status: "True" | "False", words: ConditionWords): Statement {
  return { type: "Replicating", status, ...words };
}
