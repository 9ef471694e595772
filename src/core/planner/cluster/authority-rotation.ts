import { annotate, getObjects, patchCluster } from "../../api/kubectl.ts";
import { clusterNames, remoteSecretName, ROTATE_AUTHORITY_ANNOTATION } from "../../api/names.ts";
import type { Finding } from "../../api/parts.ts";
import { warn } from "../findings/finding.ts";
import { lackingText, stillNeededText, type Holder, type HoldersView } from "./authority-holders.ts";
import { placeholder } from "#kit/base/shell-word";

/** What there is to know about the authority of a cluster. Authorities are named by the digests of their certificates. */
export interface AuthorityView {
  readonly cluster: string;
  readonly current: { readonly id: string; readonly made: Date; readonly ends: Date };
  /** Trusted besides; it signs what follows once all that verify trust it. */
  readonly next: { readonly id: string; readonly offered: Date } | undefined;
  /** Trusted besides, as long as something that it has signed is shown. */
  readonly former: { readonly id: string } | undefined;
  /** The last value with which a user asked for another authority, and the last one that was granted. */
  readonly asked: string | undefined;
  readonly answered: string | undefined;
  readonly holders: HoldersView;
  /** Which authorities the clusters trust that link to this one, while there is a next one. */
  readonly sites: readonly Holder[];
  readonly now: Date;
  readonly overlapMs: number;
}

/** What to do about the authority of a cluster: nothing where `act` is undefined. */
export interface AuthorityStep {
  /** `offer`: make the next one. `use`: it signs from now on, and the former is trusted besides. `end`: the former is trusted no more. */
  readonly act?: "offer" | "use" | "end";
  /** The request that is granted. */
  readonly answered?: string;
  /** An event that tells users of it. */
  readonly event?: { readonly reason: string; readonly message: string };
  readonly findings: readonly Finding[];
}

/**
 * The next step of a replacement of the authority. At each moment all that verify trust every authority by which something is shown:
 * the next one is trusted everywhere first, then it signs, and the former one is trusted until nothing by it is left.
 */
export function nextAuthorityStep(view: AuthorityView): AuthorityStep {
  if (view.former !== undefined) return endWhenUnused(view, view.former);
  if (view.next !== undefined) return useWhenTrusted(view, view.next);
  const isAsked = view.asked !== undefined && view.asked !== view.answered;
  return isAsked || endsSoon(view) ? offer(view) : { findings: [] };
}

/** Less than a tenth of its life is left: a year of ten, in which a replacement that waits is noticed. */
function endsSoon({ current: { made, ends }, now }: AuthorityView): boolean {
  return ends.getTime() - now.getTime() < (ends.getTime() - made.getTime()) / 10;
}

/** Nothing that it has signed is accepted any more, so that there is nothing to wait for. */
function isOver({ current, now }: AuthorityView): boolean {
  return current.ends <= now;
}

function offer(view: AuthorityView): AuthorityStep {
  const { holders, asked } = view;
  if (holders.kind !== "able" && !isOver(view)) return waits(view, "another authority is due", holders.why);
  const message =
    "everything that verifies is given the next authority of the cluster; the present one signs as before";
  return {
    act: "offer",
    ...(asked === undefined ? {} : { answered: asked }),
    event: { reason: "AuthorityRotationBegan", message },
    findings: [],
  };
}

function useWhenTrusted(view: AuthorityView, next: NonNullable<AuthorityView["next"]>): AuthorityStep {
  const { holders, now } = view;
  if (!isOver(view)) {
    const why = holders.kind === "able" ? lackingText(holders.holders, next.id) : holders.why;
    if (why !== "") return waits(view, "the next authority is not in use yet", why);
    const from = usedFrom(view, next);
    const sites = lackingText(view.sites, next.id);
    if (now < from) return { findings: [isOffered(view, from, sites), ...ends(view)] };
    // who ends the overlap, or comes to the end of the present one, does not wait for others
    if (sites !== "" && view.overlapMs > 0 && now < lastUse(view)) return waitsForSites(view, sites);
  }
  const message =
    "certificates are issued by the new authority of the cluster from now on; the former one is trusted besides";
  return { act: "use", event: { reason: "AuthorityRotated", message }, findings: [] };
}

const DAY_MS = 86_400_000;

/** After the overlap, and a day before the present one ends at the latest: with it end the certificates that it has signed. */
function usedFrom(view: AuthorityView, next: { readonly offered: Date }): Date {
  return new Date(Math.min(next.offered.getTime() + view.overlapMs, lastUse(view).getTime()));
}

function lastUse({ current }: AuthorityView): Date {
  return new Date(current.ends.getTime() - DAY_MS);
}

function endWhenUnused(view: AuthorityView, former: { readonly id: string }): AuthorityStep {
  const { holders, current } = view;
  const why = holders.kind === "able" ? stillNeededText(holders.holders, current.id, former.id) : holders.why;
  if (why !== "") return waits(view, "the former authority is still trusted", why);
  const message = "the former authority of the cluster is trusted no more";
  return { act: "end", event: { reason: "FormerAuthorityEnded", message }, findings: [] };
}

function waits(view: AuthorityView, what: string, why: string): AuthorityStep {
  const remedy = `bring the nodes back, at the operator's release: ${getObjects("pods")}`;
  return { findings: [warn("RotationWaits", `${what}: ${why}`, remedy), ...ends(view)] };
}

function waitsForSites(view: AuthorityView, why: string): AuthorityStep {
  const { cluster } = view;
  const remedy = `${giveToSites(cluster)}; or to use it without them, so that their links are refused: ${useAtOnce(cluster)}`;
  return { findings: [warn("RotationWaits", `the next authority is not in use yet: ${why}`, remedy), ...ends(view)] };
}

function giveToSites(cluster: string): string {
  const secret = remoteSecretName("<name of this cluster there>");
  return `at each site that does not trust it, put ca.crt of the secret ${clusterNames.nodeTlsSecret(cluster)} into the secret ${secret}, which counts within two minutes; bring back those that do not answer, or take them out of their databases`;
}

function useAtOnce(cluster: string): string {
  return patchCluster(cluster, { authorityOverlapSeconds: 0 });
}

function ends(view: AuthorityView): readonly Finding[] {
  if (view.former !== undefined || !endsSoon(view)) return [];
  const evidence = `the authority of the cluster ends on ${view.current.ends.toISOString()}, and with it every certificate of the cluster`;
  const again = annotate("rec", view.cluster, placeholder(`${ROTATE_AUTHORITY_ANNOTATION}=<any new value>`));
  const remedy =
    view.next === undefined
      ? `it is replaced once nothing waits any more; or ask for it: ${again}`
      : "see RotationWaits and NextAuthorityOffered";
  return [warn("AuthorityEnds", evidence, remedy)];
}

function isOffered({ cluster }: AuthorityView, from: Date, sites: string): Finding {
  const evidence = `the next authority of the cluster signs from ${from.toISOString()}; until then clients take both from ca.crt of their Secrets`;
  const remedy = `give ca.crt to whatever has a copy of it; to use it at once: ${useAtOnce(cluster)}`;
  if (sites === "") return warn("NextAuthorityOffered", evidence, remedy);
  return warn("NextAuthorityOffered", `${evidence}; ${sites}`, `${giveToSites(cluster)}; ${remedy}`);
}
