import { activeActiveSpec } from "../../api/active-active.ts";
import { deleteObjects } from "../../api/kubectl.ts";
import type { ActiveActiveParticipant } from "../../api/records.ts";
import { duplicateValue, forbiddenValue, invalidValue, notFoundValue, type Objection } from "../admission/objection.ts";
import type { SiteReplication } from "./replication.ts";
import { placeholder } from "#kit/base/shell-word";

/** The spec of an Active-Active database as it is stored: what has a default may be left out. */
export interface WrittenSpec extends Readonly<Record<string, unknown>> {
  readonly participatingClusters: readonly ActiveActiveParticipant[];
}

/** What an edit comes to, or why it is refused. */
export type EditResult<T> = { readonly value: T } | { readonly objection: Objection };

/** A site as users name it, `west`, `west:443`, `west/2` or `west:443/2`: its remote cluster, the port at which links reach it, and its shards. */
export function siteOfText(text: string): EditResult<ActiveActiveParticipant> {
  const [, name = "", port, shards] = /^([^:/]*)(?::([^/]*))?(?:\/(.*))?$/.exec(text) ?? [];
  const numberOf = (digits: string): number => (digits === "" ? NaN : Number(digits));
  const parsed = activeActiveSpec.shape.participatingClusters.element.safeParse({
    name,
    ...(port === undefined ? {} : { externalReplicationPort: numberOf(port) }),
    ...(shards === undefined ? {} : { shardCount: numberOf(shards) }),
  });
  if (parsed.success) return { value: parsed.data };
  const why =
    "a site is the name of its StoreEnterpriseRemoteCluster, with a port of 1 to 65535 after a colon or none, and its number of shards after a slash or none";
  return { objection: invalidValue("spec.participatingClusters", text, why, "for instance west, west:443 or west/2") };
}

/** The spec with one more site. */
export function withSite(spec: WrittenSpec, site: ActiveActiveParticipant): EditResult<WrittenSpec> {
  const index = spec.participatingClusters.findIndex(({ name }) => name === site.name);
  const field = `spec.participatingClusters[${index}].name`;
  if (index >= 0) return { objection: duplicateValue(field, site.name, "it is a site already", "name another one") };
  return { value: { ...spec, participatingClusters: [...spec.participatingClusters, site] } };
}

/** What is known of the sites when one is to leave. */
export interface LeavingFacts {
  /** The remote cluster that stands for the own cluster; undefined when none does. */
  readonly self: string | undefined;
  /** How the sites arrive here; a sentence when the own cluster does not say. */
  readonly sites: readonly SiteReplication[] | string;
  /** The user accepts that what the others have not received of it is left behind. */
  readonly isForced: boolean;
}

/** The spec without a site. One that is not up may hold writes that no other site has: it only goes by force. */
export function withoutSite(spec: WrittenSpec, name: string, facts: LeavingFacts): EditResult<WrittenSpec> {
  const names = spec.participatingClusters.map((site) => site.name);
  const objection = leavingObjection(names, name, facts);
  if (objection !== undefined) return { objection };
  return { value: { ...spec, participatingClusters: spec.participatingClusters.filter((site) => site.name !== name) } };
}

function leavingObjection(names: readonly string[], name: string, facts: LeavingFacts): Objection | undefined {
  const field = "spec.participatingClusters";
  const others = names.filter((one) => one !== name).join(", ");
  if (!names.includes(name)) return notFoundValue(field, name, `the sites are ${names.join(", ")}`, "name one of them");
  if (others === "") {
    return forbiddenValue(field, `"${name}" is the only site`, deleteObjects("reaadb", [placeholder("<name>")]));
  }
  if (name === facts.self) {
    const why = `"${name}" is the cluster of this namespace, and what it says once it has left reaches no other site`;
    return forbiddenValue(field, why, `remove it at another site: ${others}`);
  }
  const doubt = facts.isForced ? undefined : doubtOf(name, facts.sites);
  if (doubt === undefined) return undefined;
  const why = `${doubt}: it may hold writes that no other site has`;
  return forbiddenValue(field, why, "bring it back first, or give --force to leave behind what others lack of it");
}

function doubtOf(name: string, sites: LeavingFacts["sites"]): string | undefined {
  if (typeof sites === "string") return `whether "${name}" is up is not known (${sites})`;
  const { state, since, cause } = sites.find((site) => site.name === name) ?? UNKNOWN_SITE;
  if (state === "up") return undefined;
  const when = since === undefined ? "" : ` since ${since}`;
  return `"${name}" is ${state}${when}${cause === "" ? "" : ` (${cause})`}`;
}

const UNKNOWN_SITE: Omit<SiteReplication, "name"> = {
  state: "down",
  since: undefined,
  cause: "the link does not know it yet",
};
