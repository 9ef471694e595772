import type { ActiveActiveRecord } from "../../../../core/api/records.ts";
import { siteNumber } from "../../../../core/planner/active-active/numbers.ts";
import { otherSites } from "../../../../core/planner/active-active/other-sites.ts";
import { recordOf, usableRecords } from "../../../../core/planner/active-active/record.ts";
import { Fault } from "#kit/base/fault";
import type { LinkedDatabaseStatus, SiteAgreement } from "../../../../ports/management/link-control.ts";
import type { LinkHealth } from "../../../../ports/management/records.ts";
import type { Members } from "../../members/members.ts";
import type { Peers } from "../../members/peers.ts";
import type { NodeLink } from "../../node/link.ts";
import type { Records } from "../../records/records.ts";
import type { AgentConfig } from "../../runtime/config.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { joinedSlices, slicesOfSite, type SliceStatus } from "./link-slices.ts";

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
  const slices =
    hasLeft || database === undefined ? [] : await slicesOfSite(database, (node) => statusesOf(context, node));
  const status = hasLeft ? "this cluster takes part in it no more" : joinedSlices(slices);
  const own = database?.activeActive?.site;
  const named = (hasLeft ? [] : record.participants).flatMap(({ name }) => {
    const id = siteNumber(record, name) ?? 0;
    const isReached = others === undefined || others.some((site) => site.name === name);
    return id === own ? [] : [{ id, name, unknown: isReached ? undefined : NOT_MADE_KNOWN }];
  });
  return {
    guid,
    ...healthOf(status, named),
    awaits_sites: database?.awaitsSites === true,
    ...(slices.length < 2 ? {} : { slices: slices.map((slice) => sliceHealth(slice, named)) }),
  };
}

/** Another site: its number and name, and why it cannot be reached at all. */
interface NamedSite {
  readonly id: number;
  readonly name: string;
  readonly unknown: string | undefined;
}

function healthOf(
  status: LinkedDatabaseStatus | string,
  named: readonly NamedSite[],
): Pick<LinkHealth, "state" | "cause" | "known_keys" | "kept_bytes" | "sites"> {
  const known = typeof status === "string" ? undefined : status;
  const cause = typeof status === "string" ? status : status.engine;
  const sites = named.map(({ id, name, unknown }) => siteHealth(id, name, unknown, known, cause));
  const states = sites.map(({ state }) => state);
  const isDown = cause !== "" || states.includes("down");
  return {
    state: isDown ? "down" : states.includes("syncing") ? "syncing" : "up",
    cause,
    known_keys: known?.knownKeys ?? 0,
    kept_bytes: known?.keptBytes ?? 0,
    sites,
  };
}

function sliceHealth({ shard, slots, status }: SliceStatus, named: readonly NamedSite[]) {
  return { slots, shard: shard.id, ...healthOf(status, named) };
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

/** What the links of a node say; a sentence while they say nothing. */
async function statusesOf(
  { config, members, peers, link }: LinkHealthContext,
  node: number,
): Promise<readonly LinkedDatabaseStatus[] | string> {
  const report = members.get(node)?.report;
  if (report !== undefined && !report.capabilities.includes("site-links"))
    return `node ${node} (${report.operatorVersion}) is of a release that knows no links`;
  try {
    return node === config.node ? await link.status() : await peers.forward(node, "localLink", {}, undefined);
  } catch (error) {
    // a node that does not answer says nothing of its link
    if (!(error instanceof Fault)) throw error;
    return `node ${node}, which has the primary, does not answer`;
  }
}
