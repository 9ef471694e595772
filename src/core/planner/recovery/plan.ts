import { causesOf } from "./causes.ts";
import { CLUSTER_REMEDIES } from "./cluster-remedies.ts";
import { INSTALLED_REMEDIES } from "./installed-remedies.ts";
import { MODULE_REMEDIES } from "./module-remedies.ts";
import type { Cause, Given, Recovery, RecoveryFacts } from "./recovery.ts";
import type { Remedies } from "./remedy.ts";

/** By name of the check or of the finding; what is in none is for a person to do. */
const REMEDIES: Remedies = { ...INSTALLED_REMEDIES, ...MODULE_REMEDIES, ...CLUSTER_REMEDIES };

/** What gives the ground for the rest comes first; the objects are brought in line with the cluster last. */
const LAST = ["Drifted"];

/** The documented recovery from each cause that stands in the way now (§7), in the order in which they are to be done. */
export function planRecovery(facts: RecoveryFacts, given: Given): readonly Recovery[] {
  const causes = causesOf(facts);
  const sorted = [
    ...causes.filter(({ check }) => check in INSTALLED_REMEDIES),
    ...causes.filter(({ check }) => !(check in INSTALLED_REMEDIES) && !LAST.includes(check)),
    ...causes.filter(({ check }) => LAST.includes(check)),
  ];
  return sorted.map((cause) => recoveryFrom(cause, facts, given));
}

function recoveryFrom(cause: Cause, facts: RecoveryFacts, given: Given): Recovery {
  const { object, finding } = cause;
  const remedy = (REMEDIES[cause.check] ?? REMEDIES[finding.id])?.({ ...facts, cause, given }) ?? {};
  const plain = { acts: [], needs: "", irreversible: "", otherwise: "", ...remedy };
  const isByHand = plain.acts.length === 0 && plain.needs === "" && plain.otherwise === "";
  return {
    object,
    rule: finding.id,
    evidence: finding.evidence,
    ...plain,
    ...(isByHand ? { otherwise: finding.remedy } : {}),
  };
}
