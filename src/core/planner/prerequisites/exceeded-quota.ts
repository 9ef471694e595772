import { parseQuantity } from "#kit/base/quantity";
import { mergeObject, patchCluster } from "../../api/kubectl.ts";
import { clusterSpec, type ClusterSpec } from "../../api/cluster-spec.ts";

/** A ResourceQuota as it is now: what it allows and what is used of that, by resource. */
export interface Quota {
  readonly name: string;
  readonly hard: Readonly<Record<string, string>>;
  readonly used: Readonly<Record<string, string>>;
}

/** What is known besides the words of a refusal, which may be old. */
export interface SinceRefused {
  /** The quotas of the namespace; absent where they were not read. */
  readonly quotas?: readonly Quota[];
  /** How many requests like the refused one are to be admitted; one when absent. */
  readonly requests?: number;
  /** The cluster whose node pod was refused; absent of any other request. */
  readonly nodesOf?: { readonly name: string; readonly spec: Pick<ClusterSpec, "storeEnterpriseNodeResources"> };
}

/** What a quota did not admit. */
interface Refusal {
  readonly quota: string;
  /** Amounts by resource that the request would have taken. */
  readonly requested: ReadonlyMap<string, number>;
  readonly used: ReadonlyMap<string, number>;
  /** Resources of which a container says nothing, and the quota wants each to. */
  readonly unsaid: readonly string[];
}

/** Names with quantities, as the API server lists them. */
const LIST = String.raw`[\w./-]+=[\w.+-]+(?:,[\w./-]+=[\w.+-]+)*`;
const EXCEEDED = new RegExp(`exceeded quota: ([a-z0-9.-]+), requested: (${LIST}), used: (${LIST}), limited: ${LIST}`);
const FAILED = /failed quota: ([a-z0-9.-]+): must specify (\S+ for: \S+?(?:; \S+ for: \S+?)*)(?=[\s)]|$)/;

/** What makes a quota admit the request that it refused with this `message` of the API server; undefined of any other refusal, and of one that it admits now. */
export function admitByQuota(message: string, since: SinceRefused = {}): string | undefined {
  const refusal = refusalIn(message);
  if (refusal === undefined) return undefined;
  const quota = since.quotas?.find(({ name }) => name === refusal.quota);
  if (since.quotas !== undefined && quota === undefined) return undefined;
  return refusal.unsaid.length > 0 ? sayOrAskNoMore(refusal, quota, since) : raise(refusal, quota, since.requests ?? 1);
}

/** The message is the refusal of a quota. */
export function isOfQuota(message: string): boolean {
  return refusalIn(message) !== undefined;
}

function refusalIn(message: string): Refusal | undefined {
  const [, exceeded, requested, used] = EXCEEDED.exec(message) ?? [];
  if (exceeded !== undefined)
    return { quota: exceeded, requested: quantitiesIn(requested), used: quantitiesIn(used), unsaid: [] };
  const [, failed, unsaid = ""] = FAILED.exec(message) ?? [];
  if (failed === undefined) return undefined;
  const names = unsaid.split("; ").map((part) => part.split(" for: ")[0] ?? "");
  return { quota: failed, requested: new Map(), used: new Map(), unsaid: names };
}

/** Raises what the request lacks by what is used now. */
function raise({ quota, requested, used }: Refusal, now: Quota | undefined, requests: number): string | undefined {
  const hard = [...requested].flatMap(([name, asked]) => {
    const has = now === undefined ? (used.get(name) ?? 0) : parseQuantity(now.used[name] ?? "0");
    const needs = has + asked * requests;
    const limit = now?.hard[name];
    const isEnough = now !== undefined && (limit === undefined || parseQuantity(limit) >= needs);
    return isEnough ? [] : [[name, textOf(needs)] as const];
  });
  if (hard.length === 0) return undefined;
  return `let the quota admit it: ${mergeObject("resourcequota", quota, { spec: { hard: Object.fromEntries(hard) } })}`;
}

/** Nodes say what the quota wants to know of each container, or it asks for that no more. */
function sayOrAskNoMore(
  { quota, unsaid }: Refusal,
  now: Quota | undefined,
  { nodesOf }: SinceRefused,
): string | undefined {
  const asked = unsaid.filter((name) => now === undefined || name in now.hard);
  if (asked.length === 0) return undefined;
  const hard = Object.fromEntries(asked.map((name) => [name, null]));
  const ask = `let the quota ask for it no more: ${mergeObject("resourcequota", quota, { spec: { hard } })}`;
  if (nodesOf === undefined) return ask;
  const resources = sayResources(asked, nodesOf.spec.storeEnterpriseNodeResources);
  if (resources === undefined) return ask;
  const patch = patchCluster(nodesOf.name, { storeEnterpriseNodeResources: resources });
  return `let the nodes say what the quota asks for: ${patch}; or ${ask}`;
}

type Resources = ClusterSpec["storeEnterpriseNodeResources"];

/** As much as the other of requests and limits says, so that both are equal, or as the nodes of a cluster get that says nothing; undefined when they say all. */
function sayResources(unsaid: readonly string[], said: Resources): object | undefined {
  const parts = Map.groupBy(
    unsaid.map((name) => (name.includes(".") ? name : `requests.${name}`).split(".")),
    ([part]) => part,
  );
  const given = (["requests", "limits"] as const).flatMap((part) => {
    const other = said[part === "limits" ? "requests" : "limits"];
    const values = (parts.get(part) ?? []).flatMap(([, name = ""]) =>
      said[part]?.[name] === undefined ? [[name, other?.[name] ?? USUAL.limits?.[name] ?? "0"] as const] : [],
    );
    return values.length === 0 ? [] : [[part, Object.fromEntries(values)] as const];
  });
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const USUAL: Resources = clusterSpec.parse({}).storeEnterpriseNodeResources;

function quantitiesIn(list = ""): ReadonlyMap<string, number> {
  return new Map(
    list.split(",").map((each) => {
      const [name = "", amount = ""] = each.split("=");
      return [name, parseQuantity(amount)] as const;
    }),
  );
}

/** As a quantity without a unit: bytes, cores or objects. */
function textOf(amount: number): string {
  return String(Number(amount.toPrecision(15)));
}
