import type { Finding } from "../../api/parts.ts";
import { MOMENTS, type Check } from "../prerequisites/check.ts";
import type { CheckInput } from "../prerequisites/check-input.ts";
import { verdictsAt } from "../prerequisites/run.ts";
import { isOlder } from "../upgrade-path/state.ts";
import type { RecoveryCause, DatabaseObject, RecoveryFacts } from "./recovery.ts";
import { asWarning, warn } from "../findings/finding.ts";
import type { FindingId } from "../prerequisites/finding-ids.ts";

/** Findings that are no cause: they only show that an upgrade is frozen. */
const EFFECTS: readonly string[] = ["ClusterNotAtRest"] satisfies readonly FindingId[];

/** What only the operator meets. */
const OPERATORS_OWN: readonly string[] = [
  "PodMissing",
  "RequestForbidden",
  "StepFailed",
  "LicenseRefused",
  "LicenseNotFound",
  "ObjectNotOurs",
  "SecretNotMarked",
] satisfies readonly FindingId[];

/**
 * What blocks now, and as warnings what would hold up the next upgrade, the deepest cause first: what the checks see, what the operator alone can know, and what keeps
 * databases from becoming what their objects say. Checks see nothing while pods, StatefulSet or databases could not be read.
 */
export function causesOf({ input, databases, lacksFacts }: BlockingFacts): readonly RecoveryCause[] {
  const about = { kind: "rec", name: input.view.name } as const;
  const seen = (lacksFacts ? [] : verdictsAt(MOMENTS, input)).flatMap((verdict) =>
    verdict.outcome === "found" && isCause(verdict.finding) && !EFFECTS.includes(verdict.check.id)
      ? [{ check: verdict.check.id, about, finding: asOfNow(verdict.check, verdict.finding, input) }]
      : [],
  );
  const reported = (input.view.remembered.findings ?? [])
    .filter(({ id }) => !seen.some(({ finding }) => finding.id === id))
    .filter((finding) => isHeldUp(finding) || isOperatorsOwn(finding))
    .map((finding) => ({ check: finding.id, about, finding }));
  return [...seen, ...reported, ...databases.flatMap((database) => causesOfDatabase(database, { input }))];
}

/** It holds up what was asked for or what serves: `storectl status` and `storectl recover` end with 3 for it, and for no warning. */
export function isBlocking({ severity }: Pick<Finding, "severity">): boolean {
  return severity !== "warn";
}

/** What says what blocks. */
export type BlockingFacts = Pick<RecoveryFacts, "input" | "databases" | "lacksFacts">;

/** What ends only when a user does something, although it blocks nothing, or not yet. */
const NEEDS_USERS: readonly string[] = [
  "EngineFails",
  "UserModuleInvalid",
  "WebhookStale",
] satisfies readonly FindingId[];

/** What only an upgrade meets holds nothing up while none is asked for, and every node is there. */
function asOfNow({ ofUpgrades }: Check, finding: Finding, input: CheckInput): Finding {
  return ofUpgrades === true && isAtRest(input) ? asWarning(finding) : finding;
}

function isAtRest({ step, view: { spec, remembered, cluster } }: CheckInput): boolean {
  if (step !== undefined || (remembered.state ?? "Running") !== "Running" || !cluster.reachable) return false;
  return cluster.nodes.length >= spec.nodes && cluster.nodes.every(({ active }) => active);
}

/** A step that waits for another continues without help; a forgotten maintenance does not end. */
function isCause({ id, severity }: Finding): boolean {
  return severity === "block" || NEEDS_USERS.includes(id);
}

/** The operator knows which node it has in maintenance itself. */
function isHeldUp({ id, severity }: Finding): boolean {
  return severity === "wait" && id === "NodeInMaintenance";
}

/** What only the operator meets: the checks above would see the rest, and its word of them may be old. */
function isOperatorsOwn({ id }: Finding): boolean {
  return OPERATORS_OWN.includes(id);
}

function causesOfDatabase(database: DatabaseObject, { input }: Pick<RecoveryFacts, "input">): readonly RecoveryCause[] {
  const about = { kind: "redb", name: database.name } as const;
  const { cluster } = input.view;
  const known = cluster.reachable ? cluster.databases.find(({ name }) => name === database.name) : undefined;
  const reported = database.findings.map((finding) => ({ check: finding.id, about, finding }));
  if (known === undefined || database.storeVersion === undefined) return reported;
  const { upgradesTo: to, storeVersion: has } = known;
  if (!isOlder(database.storeVersion, to ?? has)) return reported;
  const is = to === undefined ? `is at ${has}` : `is on its way from ${has} to ${to}`;
  const evidence = `the database ${is} and spec.storeVersion says "${database.storeVersion}"`;
  const finding = warn("Drifted", evidence, "write into the object what is the case");
  return [...reported.filter(({ check }) => check !== "DowngradeRefused"), { check: finding.id, about, finding }];
}
