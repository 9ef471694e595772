import { compareVersionText } from "#kit/base/version";
import type { Release } from "./release.ts";

/** Something that is known to go wrong with a step between releases. Data: a new one is a new row. */
export interface KnownIssue {
  /** Stable. */
  readonly id: string;
  /** First release that has it. */
  readonly since: string;
  /** First release without it, and before it those that have the fix on an older line; absent while it stays. */
  readonly fixed?: readonly string[];
  /** Only a step from before `since` meets it. */
  readonly onCrossing?: true;
  /** Only where one of these modules is in use. */
  readonly modules?: readonly string[];
  readonly effect: string;
  readonly workaround: string;
}

const KNOWN_ISSUES: readonly KnownIssue[] = [
  {
    id: "ExpiredLicenseStopsPods",
    since: "7.22.0-7",
    fixed: ["7.22.2-38", "8.0.18-11"],
    effect: "a licence that ends while nodes are replaced keeps the new pods from becoming ready",
    workaround: "renew the licence before the step: storectl preflight shows until when it is in force",
  },
  {
    id: "TriggersLeftBehind",
    since: "7.8.2-6",
    onCrossing: true,
    modules: ["redisgears_2", "redisgears"],
    effect: "libraries of triggers and functions that were left behind make a snapshot unloadable",
    workaround: "delete every library in each database that uses the module (TFUNCTION DELETE) before the step",
  },
  {
    id: "RemovedModulesStopJoins",
    since: "8.0.2-2",
    onCrossing: true,
    modules: ["graph", "redisgears_2", "redisgears"],
    effect: "a node cannot join while a database uses a module that the release no longer knows",
    workaround: "move the data to databases without the module, and delete the old ones, before the step",
  },
  {
    id: "StoredVersionMoves",
    since: "8.0.2-2",
    onCrossing: true,
    effect: "clusters are stored as v1 from here on, and old ones stay stored as v1alpha1 until they are written again",
    workaround: "apply the definitions of the new bundle, and remove no version from status.storedVersions by hand",
  },
  {
    id: "OldModulesStopRecovery",
    since: "7.8.2-6",
    onCrossing: true,
    effect:
      "a database that stays at a version whose modules are no longer bundled cannot be recovered after a disaster",
    workaround: "upgrade the databases soon after the cluster, and keep the old module archives until then",
  },
];

/**
 * What is known to go wrong with the step; `modules` are the names of those in use. A step from an unknown release is taken
 * to meet every issue on the way.
 */
export function knownIssues(from: Release | undefined, to: Release, modules: readonly string[]): readonly KnownIssue[] {
  return KNOWN_ISSUES.filter(
    (issue) =>
      !isBefore(to.operator, issue.since) &&
      !isFixed(to.operator, issue.fixed ?? []) &&
      (issue.onCrossing === undefined || from === undefined || isBefore(from.operator, issue.since)) &&
      (issue.modules === undefined || issue.modules.some((name) => modules.includes(name))),
  );
}

/** From the last fix on, and on the lines of the others: 7.22.2-38 says nothing of 8.0.2-2. */
function isFixed(operator: string, fixes: readonly string[]): boolean {
  return fixes.some(
    (fix) => !isBefore(operator, fix) && (fix === fixes.at(-1) || operator.startsWith(fix.replace(/-.*/, "-"))),
  );
}

function isBefore(operator: string, other: string): boolean {
  return (compareVersionText(operator, other) ?? 0) < 0;
}
