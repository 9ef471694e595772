import { getObjects } from "../../api/kubectl.ts";
import type { ActiveActiveSpec } from "../../api/active-active.ts";
import { databaseSpec, type DatabaseSpec } from "../../api/database-spec.ts";
import { CONFIGURATION_RULES, DATABASE_RULES } from "./database.ts";
import type { ReviewedDatabase } from "./reviewed-database.ts";
import type { ReviewedExisting } from "./reviewed-database.ts";
import { fieldOf, moduleItemsOf, renumberedModules, type ModuleLists } from "./modules.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  notFoundValue,
  objections,
  requiredValue,
  type Advice,
  type Objection,
  type SpecRule,
} from "./objection.ts";
import { clusterNamed, existingText, type References } from "./references.ts";

/** A StoreEnterpriseActiveActiveDatabase and what it is judged by. */
export interface ReviewedActiveActive {
  readonly name: string;
  readonly spec: ActiveActiveSpec;
  /** The spec that is replaced; undefined for a new object, and for a caller that looks at an object at rest. */
  readonly before: ActiveActiveSpec | undefined;
  /** The database on this participant; undefined while there is none. */
  readonly existing: ReviewedExisting | undefined;
  readonly references: References;
}

/** The rules for an Active-Active database, in the order in which objections are listed. */
export const ACTIVE_ACTIVE_RULES: readonly SpecRule<ReviewedActiveActive>[] = [
  placesAreConsistent,
  ownFieldsAreRight,
  globalFieldsAreRight,
  participantsAreDistinct,
  participantsExist,
  participantsHaveFewShards,
  modulesHaveNumbers,
  noUserDefinedModules,
  moduleVersionsAreUnchanged,
];

/** Nothing of it is ignored. */
export const ACTIVE_ACTIVE_ADVICE: readonly Advice<ReviewedActiveActive>[] = [];

/** What stands both at the top and in `globalConfigurations` is the same. */
function placesAreConsistent({ spec }: ReviewedActiveActive): readonly Objection[] {
  const global = spec.globalConfigurations;
  if (global === undefined) return [];
  const pairs = [
    ["storeVersion", spec.storeVersion, global.storeVersion],
    ["moduleList", spec.moduleList, global.modulesList ?? global.moduleList],
    ["storeEnterpriseCluster", spec.storeEnterpriseCluster, global.storeEnterpriseCluster],
  ] as const;
  return pairs
    .filter(
      ([, top, inner]) => top !== undefined && inner !== undefined && JSON.stringify(top) !== JSON.stringify(inner),
    )
    .map(([field]) => {
      const why = `spec.${field} and the same in spec.globalConfigurations are both set and differ`;
      return forbiddenValue(`spec.${field}`, why, `leave it out of spec.globalConfigurations`, "PlacesContradict");
    });
}

function ownFieldsAreRight(facts: ReviewedActiveActive): readonly Objection[] {
  return objections(
    DATABASE_RULES,
    asDatabase(facts, "spec", ownSpec(facts.spec), facts.before && ownSpec(facts.before)),
  );
}

function globalFieldsAreRight(facts: ReviewedActiveActive): readonly Objection[] {
  const global = facts.spec.globalConfigurations;
  if (global === undefined) return [];
  const before = facts.before?.globalConfigurations;
  return objections(CONFIGURATION_RULES, asDatabase(facts, "spec.globalConfigurations", global, before));
}

function asDatabase(
  { name, existing, references }: ReviewedActiveActive,
  at: string,
  spec: DatabaseSpec,
  before: DatabaseSpec | undefined,
): ReviewedDatabase {
  return { kind: "reaadb", name, at, spec, before, existing, references };
}

/** The fields at the top, as the spec of a database. */
function ownSpec({
  storeVersion,
  moduleList,
  storeEnterpriseCluster,
  globalConfigurations,
}: ActiveActiveSpec): DatabaseSpec {
  const cluster = storeEnterpriseCluster ?? globalConfigurations?.storeEnterpriseCluster;
  return databaseSpec.parse({
    ...(storeVersion === undefined ? {} : { storeVersion }),
    ...(moduleList === undefined ? {} : { moduleList }),
    ...(cluster === undefined ? {} : { storeEnterpriseCluster: cluster }),
    storeUpgradePolicy: globalConfigurations?.storeUpgradePolicy,
  });
}

function participantsAreDistinct({ spec }: ReviewedActiveActive): readonly Objection[] {
  const names = spec.participatingClusters.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          duplicateValue(
            `spec.participatingClusters[${index}].name`,
            name,
            "a cluster takes part once",
            "remove one of the two",
          ),
        ],
  );
}

/** No dangling reference. */
function participantsExist({ spec, references }: ReviewedActiveActive): readonly Objection[] {
  const known = references.remoteClusters.map(({ name }) => name);
  return spec.participatingClusters.flatMap(({ name }, index) =>
    known.includes(name)
      ? []
      : [
          notFoundValue(
            `spec.participatingClusters[${index}].name`,
            name,
            existingText("remote clusters", known),
            `make the StoreEnterpriseRemoteCluster first: ${getObjects("rerc")}`,
          ),
        ],
  );
}

/** Each shard of a participant has whole slices. */
function participantsHaveFewShards({ spec }: ReviewedActiveActive): readonly Objection[] {
  const slices = spec.globalConfigurations?.shardCount ?? 1;
  return spec.participatingClusters.flatMap(({ shardCount = 1 }, index) =>
    shardCount <= slices
      ? []
      : [
          invalidValue(
            `spec.participatingClusters[${index}].shardCount`,
            shardCount,
            `spec.globalConfigurations.shardCount is ${slices}, and a participant has no more`,
            `set it to ${slices} or fewer, or make the database with more shards`,
          ),
        ],
  );
}

function modulesHaveNumbers({ spec }: ReviewedActiveActive): readonly Objection[] {
  const { at, lists } = effectiveModules(spec);
  return moduleItemsOf(lists).flatMap(({ version }, index) =>
    version === undefined
      ? [
          requiredValue(
            `${fieldOf(at, lists)}[${index}].version`,
            "modules of an Active-Active database have version numbers",
            "write the number that every participant has (GET /v1/modules)",
          ),
        ]
      : [],
  );
}

function noUserDefinedModules({ spec, references }: ReviewedActiveActive): readonly Objection[] {
  const cluster = clusterNamed(
    references,
    (spec.storeEnterpriseCluster ?? spec.globalConfigurations?.storeEnterpriseCluster)?.name,
  );
  const { at, lists } = effectiveModules(spec);
  return moduleItemsOf(lists).flatMap(({ name }, index) =>
    cluster?.userModules.includes(name) === true
      ? [
          forbiddenValue(
            `${fieldOf(at, lists)}[${index}].name`,
            `"${name}" is a user-defined module, and Active-Active databases take bundled ones only`,
            "remove it",
          ),
        ]
      : [],
  );
}

/** §2.3, wherever version and list are written. */
function moduleVersionsAreUnchanged({ spec, before }: ReviewedActiveActive): readonly Objection[] {
  if (before === undefined || versionOf(before) === versionOf(spec)) return [];
  const { at, lists } = effectiveModules(spec);
  return renumberedModules(at, lists, effectiveModules(before).lists);
}

function versionOf({ storeVersion, globalConfigurations }: ActiveActiveSpec): string | undefined {
  return storeVersion ?? globalConfigurations?.storeVersion;
}

function effectiveModules(spec: ActiveActiveSpec): { readonly at: string; readonly lists: ModuleLists } {
  return spec.moduleList === undefined && spec.globalConfigurations !== undefined
    ? { at: "spec.globalConfigurations", lists: spec.globalConfigurations }
    : { at: "spec", lists: { moduleList: spec.moduleList } };
}
