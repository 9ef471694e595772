import type { StoreEnterpriseDatabase } from "../../api/kinds.ts";
import { restoreSpec, type RestoreSpec } from "../../api/restore-spec.ts";
import { mayAwaitData } from "../../api/awaits-data.ts";
import { serviceNameObjections } from "./names.ts";
import { duplicateValue, forbiddenValue, requiredValue, type Objection, type SpecRule } from "./objection.ts";

/** A StoreEnterpriseRestore and what it is judged by. */
export interface ReviewedRestore {
  readonly spec: RestoreSpec;
  /** The spec that is replaced; undefined for a new object. */
  readonly before: RestoreSpec | undefined;
  /** Names of the databases of its namespace that do not wait for data. */
  readonly databases: readonly string[];
}

/** What is asked of a restore, in the order in which objections are listed. */
export const RESTORE_RULES: readonly SpecRule<ReviewedRestore>[] = [
  oneBackupIsNamed,
  databaseNameIsUsable,
  noDatabaseIsOverwritten,
  meaningIsUnchanged,
];

/** How a restore is judged among the databases of its namespace. */
export const RESTORE_REVIEW = {
  schema: restoreSpec,
  rules: RESTORE_RULES,
  factsAmong: (databases: readonly Stored[]) => {
    const others = databases.filter((database) => !mayAwaitData(database)).map(({ metadata }) => metadata.name);
    return (spec: RestoreSpec, before: RestoreSpec | undefined): ReviewedRestore => {
      return { spec, before, databases: others };
    };
  },
} as const;

type Stored = StoreEnterpriseDatabase & { readonly metadata: { readonly name: string } };

function oneBackupIsNamed({ spec: { backupName, location } }: ReviewedRestore): readonly Objection[] {
  if (backupName === undefined && location === undefined)
    return [requiredValue("spec.backupName", "it, or spec.location, says which backup is meant", "name a backup")];
  if (backupName === undefined || location === undefined) return [];
  return [forbiddenValue("spec.location", "spec.backupName says which backup is meant", "leave one of both out")];
}

function databaseNameIsUsable({ spec: { databaseName } }: ReviewedRestore): readonly Objection[] {
  return serviceNameObjections(databaseName, 63, "the name of its Service").map((objection) => ({
    ...objection,
    field: "spec.databaseName",
    finding: { ...objection.finding, evidence: `spec.databaseName: ${objection.what}` },
  }));
}

/** A restore that was made before its database says for itself how it stands. */
function noDatabaseIsOverwritten({ spec, before, databases }: ReviewedRestore): readonly Objection[] {
  if (before !== undefined || !databases.includes(spec.databaseName)) return [];
  const why = "there is a database of that name, and none is overwritten";
  return [duplicateValue("spec.databaseName", spec.databaseName, why, "name the database that is to be made")];
}

function meaningIsUnchanged({ spec, before }: ReviewedRestore): readonly Objection[] {
  if (before === undefined) return [];
  return (["databaseName", "backupName", "location"] as const)
    .filter((field) => JSON.stringify(spec[field]) !== JSON.stringify(before[field]))
    .map((field) =>
      forbiddenValue(
        `spec.${field}`,
        "a restore is done once, and stays what it was",
        "make another StoreEnterpriseRestore",
      ),
    );
}
