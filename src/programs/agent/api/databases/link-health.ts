import { firstShard } from "../../../../core/api/first-shard.ts";
import type { ActiveActiveRecord, DatabaseRecord } from "../../../../core/api/records.ts";
import { siteNumber } from "../../../../core/planner/active-active/numbers.ts";
import { otherSites } from "../../../../core/planner/active-active/other-sites.ts";
import { recordOf, usableRecords } from "../../../../core/planner/active-active/record.ts";
import { primaryOf } from "../../../../core/planner/database/facts.ts";
import { Fault } from "#kit/base/fault";
import type { LinkedDatabaseStatus, SiteAgreement } from "../../../../ports/management/link-control.ts";
import type { LinkHealth } from "../../../../ports/management/records.ts";
import type { Members } from "../../members/members.ts";
import type { Peers } from "../../members/peers.ts";
import type { NodeLink } from "../../node/link.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What the health of links is read from. */
export interface LinkHealthContext {
  readonly config: Pick<AgentConfig, "node">;
  readonly records: Pick<Records, "state" | "databases">;
  readonly members: Pick<Members, "get">;
  readonly peers: Pick<Peers, "forward">;
  readonly link: Pick<NodeLink, "status">;
}

/** The record of an Active-Active database; refused when there is none of this guid. */
export function activeActiveOf({ records }: Pick<LinkHealthContext, "records">, guid: string): ActiveActiveRecord {
  const record = recordOf(usableRecords(records.state()?.activeActives ?? []), guid);
  if (record !== undefined) return record;
  throw refuse(refusals.noSuchObject, `there is no Active-Active database ${guid}`);
}

/** How this participant replicates with the others, as the link beside the primary says. */
export async function linkHealth(context: LinkHealthContext, guid: string): Promise<LinkHealth> {
  const record = activeActiveOf(context, guid);
  const database = context.records.databases().find(({ activeActive }) => activeActive?.guid === guid);
  const others = database && otherSites(context.records.state() ?? {}, database);
  const hasLeft = database !== undefined && others === undefined;
  const status = hasLeft ? "this cluster takes part in it no more" : await statusOf(context, guid, database);
  const known = typeof status === "string" ? undefined : status;
  const cause = typeof status === "string" ? status : status.engine;
  const own = database?.activeActive?.site;
  const sites = (hasLeft ? [] : record.participants).flatMap(({ name }) => {
    const id = siteNumber(record, name) ?? 0;
    if (id === own) return [];
    const isReached = others === undefined || others.some((site) => site.name === name);
    return [siteHealth(id, name, isReached ? undefined : NOT_MADE_KNOWN, known, cause)];
  });
  const states = sites.map(({ state }) => state);
  const isDown = cause !== "" || states.includes("down");
  return {
    guid,
    state: isDown ? "down" : states.includes("syncing") ? "syncing" : "up",
    cause,
    awaits_sites: database?.awaitsSites === true,
    known_keys: known?.knownKeys ?? 0,
    kept_bytes: known?.keptBytes ?? 0,
    sites,
  };
}

const NOT_MADE_KNOWN =
  "the operator has not said where it is: its StoreEnterpriseRemoteCluster, or the Secret of that, is missing";

function siteHealth(
  id: number,
  name: string,
  unknown: string | undefined,
  status: LinkedDatabaseStatus | undefined,
  cause: string,
): LinkHealth["sites"][number] {
  const found = status?.sites.find(({ site }) => site === id);
  if (found === undefined) {
    const why = unknown ?? (cause || "the link has not begun with it");
    const nothing = { lag_ms: 0, unconfirmed: 0, received_bytes: 0, sent_bytes: 0 };
    return { id, name, state: "down", cause: why, ...nothing };
  }
  const { behindMs, unconfirmedMs } = found;
  return {
    id,
    name,
    state: found.state,
    since: found.since,
    cause: found.cause,
    lag_ms: found.lagMs,
    unconfirmed: found.unconfirmed,
    ...(behindMs === undefined ? {} : { behind_ms: behindMs }),
    ...(unconfirmedMs === undefined ? {} : { unconfirmed_ms: unconfirmedMs }),
    received_bytes: found.receivedBytes,
    sent_bytes: found.sentBytes,
    ...(found.agreement === undefined ? {} : { agreement: agreementOf(found.agreement) }),
  };
}

function agreementOf({ agreedAt, comparedAt, cause, found, differing, differences }: SiteAgreement) {
  return {
    ...(agreedAt === undefined ? {} : { agreed_at: agreedAt }),
    ...(comparedAt === undefined ? {} : { compared_at: comparedAt }),
    cause,
    found,
    differing,
    differences,
  };
}

/** What the link beside the primary says of the database; a sentence when it says nothing. */
async function statusOf(
  { config, members, peers, link }: LinkHealthContext,
  guid: string,
  database: DatabaseRecord | undefined,
): Promise<LinkedDatabaseStatus | string> {
  const shard = database && firstShard(database);
  if (shard === undefined) return "no database of this cluster is its site yet";
  const { node } = primaryOf(shard);
  const report = members.get(node)?.report;
  if (report !== undefined && !report.capabilities.includes("site-links"))
    return `node ${node} (${report.operatorVersion}) is of a release that knows no links`;
  try {
    const statuses = node === config.node ? await link.status() : await peers.forward(node, "localLink", {}, undefined);
    return statuses.find((status) => status.guid === guid) ?? `the link of node ${node} has not begun with it`;
  } catch (error) {
    // a node that does not answer says nothing of its link
    if (!(error instanceof Fault)) throw error;
    return `node ${node}, which has the primary, does not answer`;
  }
}
