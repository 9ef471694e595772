import type { Finding } from "../../api/parts.ts";
import { wait } from "../findings/finding.ts";

/** A site whose keys are compared with those of this one. */
export interface ComparedSite {
  readonly name: string;
  /** Absent while it is not known. */
  readonly agreement?: KeyAgreement | undefined;
}

/** What is known of the keys of two sites. */
export interface KeyAgreement {
  /** Why they are not compared, a sentence; empty while they are. */
  readonly cause: string;
  /** ISO instant of the last time that all were found to be the same; absent before it. */
  readonly agreed_at?: string | undefined;
  /** How many differ, and some of them. */
  readonly differing: number;
  readonly differences: readonly { readonly key: string; readonly here: string; readonly there: string }[];
}

/** How many keys two sites hold differently, although they have had the same operations, with one of them; undefined when none is known. */
export function differingFinding(sites: readonly ComparedSite[], database: string): Finding | undefined {
  const each = sites.flatMap(({ name, agreement }) => {
    if (agreement === undefined || agreement.differing === 0) return [];
    const [first] = agreement.differences;
    const example = first && `, for instance "${first.key}": ${first.here} here, and ${first.there} there`;
    return [`${agreement.differing} keys differ from "${name}" after the same operations${example ?? ""}`];
  });
  if (each.length === 0) return undefined;
  const remedy = `none is needed while this ends within a minute, since each site gives what the other one lacks; look with: storectl active-active compare ${database}`;
  return wait("SitesDiffer", each.join("; "), remedy);
}

/** Of which sites it is not known that their keys are the same, and why. */
export function notCompared(sites: readonly ComparedSite[]): readonly string[] {
  return sites.flatMap(({ name, agreement }) => {
    if (agreement === undefined) return [`keys have not been compared with "${name}" yet`];
    if (agreement.cause !== "") return [`keys are not compared with "${name}": ${agreement.cause}`];
    if (agreement.agreed_at !== undefined) return [];
    return [`all keys have not been found to be the same as those of "${name}" yet`];
  });
}
