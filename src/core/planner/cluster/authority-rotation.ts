import { annotate, getObjects, patchCluster } from "../../api/kubectl.ts";
import { clusterNames, remoteSecretName, ROTATE_AUTHORITY_ANNOTATION } from "../../api/names.ts";
import type { Finding } from "../../api/parts.ts";
import { warn } from "../findings/finding.ts";
import { act, REST, waitFor, type Step } from "../findings/step.ts";
import { lackingText, stillNeededText, type Holder, type HoldersView } from "./authority-holders.ts";
import { placeholder } from "#kit/base/shell-word";

/** What there is to know about the authority of a cluster. Authorities are named by the digests of their certificates. */
export interface AuthorityView {
  readonly cluster: string;
  readonly current: { readonly id: string; readonly made: Date; readonly ends: Date };
  /** The next authority is trusted too; it signs once all verifiers trust it. */
  readonly next: { readonly id: string; readonly offered: Date } | undefined;
  /** The former authority is trusted too, while something shows a certificate of it. */
  readonly former: { readonly id: string } | undefined;
  /** The last value with which a user asked for another authority, and the last one that was granted. */
  readonly asked: string | undefined;
  readonly answered: string | undefined;
  readonly holders: HoldersView;
  /** The clusters that link to this one, with the authorities that they trust; asked while there is a next authority. */
  readonly sites: readonly Holder[];
  readonly now: Date;
  readonly overlapMs: number;
}

/** What is done about the authority of a cluster. `event` is the name of one that says to users why. */
export type AuthorityAct =
  /** Make the next authority. `answered` is the request that is granted. */
  | { readonly kind: "offer"; readonly event: "AuthorityRotationBegan"; readonly answered: string | undefined }
  /** The next authority signs from now on, and the former one stays trusted. */
  | { readonly kind: "use"; readonly event: "AuthorityRotated" }
  /** Nothing trusts the former one. */
  | { readonly kind: "end"; readonly event: "FormerAuthorityEnded" };

/** What is to be done about the authority of a cluster. */
export interface AuthorityDecision {
  readonly step: Step<AuthorityAct>;
  /** What users are to know meanwhile: what is waited for, and what comes of waiting too long. */
  readonly findings: readonly Finding[];
}

/**
 * The next step of a replacement of the authority. All verifiers trust at each moment every authority that signed a certificate in use: they
 * trust the next one first, then it signs, and they trust the former one until no certificate of it is left.
 */
export function decideAuthority(view: AuthorityView): AuthorityDecision {
  if (view.former !== undefined) return endWhenUnused(view, view.former);
  if (view.next !== undefined) return useWhenTrusted(view, view.next);
  const isAsked = view.asked !== undefined && view.asked !== view.answered;
  return isAsked || endsSoon(view) ? offer(view) : { step: REST, findings: [] };
}

/** Less than a tenth of the authority's life is left: one year of ten, enough to notice a replacement that waits. */
function endsSoon({ current: { made, ends }, now }: AuthorityView): boolean {
  return ends.getTime() - now.getTime() < (ends.getTime() - made.getTime()) / 10;
}

/** The authority has expired: no certificate of it is accepted any more, so there is nothing to wait for. */
function isOver({ current, now }: AuthorityView): boolean {
  return current.ends <= now;
}

function offer(view: AuthorityView): AuthorityDecision {
  const { holders, asked } = view;
  if (holders.kind !== "able" && !isOver(view)) return waitForHolders(view, "another authority is due", holders.why);
  const message =
    "everything that verifies is given the next authority of the cluster; the present one signs as before";
  return { step: act({ kind: "offer", event: "AuthorityRotationBegan", answered: asked }, message), findings: [] };
}

function useWhenTrusted(view: AuthorityView, next: NonNullable<AuthorityView["next"]>): AuthorityDecision {
  const { holders, now } = view;
  if (!isOver(view)) {
    const why = holders.kind === "able" ? lackingText(holders.holders, next.id) : holders.why;
    if (why !== "") return waitForHolders(view, "the next authority is not in use yet", why);
    const from = usedFrom(view, next);
    const sites = lackingText(view.sites, next.id);
    if (now < from) return waitWith(view, isOffered(view, from, sites));
    // without an overlap, or near the end of the present authority, the replacement does not wait for other clusters
    if (sites !== "" && view.overlapMs > 0 && now < lastUse(view)) return waitForSites(view, sites);
  }
  const message =
    "certificates are issued by the new authority of the cluster from now on; the former one is trusted besides";
  return { step: act({ kind: "use", event: "AuthorityRotated" }, message), findings: [] };
}

const DAY_MS = 86_400_000;

/** When the next authority signs: after the overlap, and at the latest a day before the present one expires together with its certificates. */
function usedFrom(view: AuthorityView, next: { readonly offered: Date }): Date {
  return new Date(Math.min(next.offered.getTime() + view.overlapMs, lastUse(view).getTime()));
}

function lastUse({ current }: AuthorityView): Date {
  return new Date(current.ends.getTime() - DAY_MS);
}

function endWhenUnused(view: AuthorityView, former: { readonly id: string }): AuthorityDecision {
  const { holders, current } = view;
  const why = holders.kind === "able" ? stillNeededText(holders.holders, current.id, former.id) : holders.why;
  if (why !== "") return waitForHolders(view, "the former authority is still trusted", why);
  const message = "the former authority of the cluster is trusted no more";
  return { step: act({ kind: "end", event: "FormerAuthorityEnded" }, message), findings: [] };
}

function waitWith(view: AuthorityView, finding: Finding): AuthorityDecision {
  return { step: waitFor(finding), findings: [finding, ...ends(view)] };
}

function waitForHolders(view: AuthorityView, what: string, why: string): AuthorityDecision {
  const remedy = `bring the nodes back, at the operator's release: ${getObjects("pods")}`;
  return waitWith(view, warn("RotationWaits", `${what}: ${why}`, remedy));
}

function waitForSites(view: AuthorityView, why: string): AuthorityDecision {
  const { cluster } = view;
  const remedy = `${giveToSites(cluster)}; or to use it without them, so that their links are refused: ${useAtOnce(cluster)}`;
  return waitWith(view, warn("RotationWaits", `the next authority is not in use yet: ${why}`, remedy));
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
