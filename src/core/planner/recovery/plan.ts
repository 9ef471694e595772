import { isFindingId, type FindingId } from "../prerequisites/finding-ids.ts";
import { causesOf, isBlocking } from "./causes.ts";
import { CLUSTER_REMEDIES } from "./cluster-remedies.ts";
import { INSTALLED_REMEDIES } from "./installed-remedies.ts";
import { LOST_NODES_REMEDIES } from "./lost-nodes.ts";
import { MODULE_REMEDIES } from "./module-remedies.ts";
import type { RecoveryCause, Supplied, Recovery, RecoveryFacts } from "./recovery.ts";
import type { RemedyRule } from "./remedy.ts";

/** What `storectl recover` does. A finding without an entry is cleared by a person, as its own remedy says. */
const REMEDIES: Readonly<Partial<Record<FindingId, RemedyRule>>> = {
  ...INSTALLED_REMEDIES,
  ...MODULE_REMEDIES,
  ...CLUSTER_REMEDIES,
  ...LOST_NODES_REMEDIES,
};

/** What gives the ground for the rest comes first; the objects are brought in line with the cluster last. */
const LAST: readonly string[] = ["Drifted"] satisfies readonly FindingId[];

/** The documented recovery from each cause that stands in the way now (§7), in the order in which they are to be done. */
export function planRecovery(facts: RecoveryFacts, given: Supplied): readonly Recovery[] {
  const causes = causesOf(facts);
  const sorted = [
    ...causes.filter(({ check }) => check in LOST_NODES_REMEDIES),
    ...causes.filter(({ check }) => check in INSTALLED_REMEDIES),
    ...causes.filter(
      ({ check }) => !(check in LOST_NODES_REMEDIES) && !(check in INSTALLED_REMEDIES) && !LAST.includes(check),
    ),
    ...causes.filter(({ check }) => LAST.includes(check)),
  ];
  return sorted.map((cause) => recoveryFrom(cause, facts, given));
}

function recoveryFrom(cause: RecoveryCause, facts: RecoveryFacts, given: Supplied): Recovery {
  const { about, finding } = cause;
  const object = `${about.kind}/${about.name}`;
  const remedy = (ruleFor(cause.check) ?? ruleFor(finding.id))?.({ ...facts, cause, given }) ?? {};
  const plain = { acts: [], needs: "", irreversible: "", otherwise: "", ...remedy };
  const isByHand = plain.acts.length === 0 && plain.needs === "" && plain.otherwise === "";
  return {
    object,
    rule: finding.id,
    blocks: isBlocking(finding),
    evidence: finding.evidence,
    ...plain,
    ...(isByHand ? { otherwise: finding.remedy } : {}),
  };
}

/** Undefined when a person clears it, and for a finding that only a newer operator knows. */
function ruleFor(id: string): RemedyRule | undefined {
  return isFindingId(id) ? REMEDIES[id] : undefined;
}
