import { whyUnoffered } from "../../api/asked-backup.ts";
import { evictionObjection } from "./eviction.ts";
import { forbiddenValue, type Advice, type SpecRule } from "./objection.ts";
import {
  clusterIsUnchanged,
  clusterExists,
  licenseSuffices,
  memoryIsInRange,
  serviceNameIsFree,
  nameIsUsable,
  portIsFree,
  portIsUnchanged,
  repliesCanWait,
  shardCountIsPossible,
  shardSlotsFit,
} from "./database-place.ts";
import { firstSlotsFit } from "./first-slots.ts";
import { secretIsItsOwn } from "./database-secret.ts";
import { certificateIsNoClusters, clientsAreKnown } from "./database-tls.ts";
import {
  changedModules,
  fieldOf,
  listContradiction,
  moduleItemsOf,
  renumberedModules,
  repeatedModules,
  unknownModules,
} from "./modules.ts";
import { noDowngrade, policyAllowsVersion, versionIsSupported } from "./versions.ts";
import { clusterOfReviewed, type ReviewedDatabase, type WrittenDatabase } from "./reviewed-database.ts";

/** What is asked of the configuration of every database, in the order in which objections are listed. */
export const CONFIGURATION_RULES: readonly SpecRule<ReviewedDatabase>[] = [
  versionIsSupported,
  noDowngrade,
  policyAllowsVersion,
  memoryIsInRange,
  shardCountIsPossible,
  shardSlotsFit,
  repliesCanWait,
  clientsAreKnown,
  certificateIsNoClusters,
  evictionSparesLinks,
  portIsUnchanged,
  portIsFree,
  moduleListsAreConsistent,
  modulesAreDistinct,
  modulesAreKnown,
  moduleVersionsAreUnchanged,
  modulesStay,
];

/** What is asked of every database. */
export const DATABASE_RULES: readonly SpecRule<ReviewedDatabase>[] = [
  nameIsUsable,
  serviceNameIsFree,
  clusterExists,
  clusterIsUnchanged,
  secretIsItsOwn,
  ...CONFIGURATION_RULES,
  firstSlotsFit,
  licenseSuffices,
];

/** What is asked of every database that is written; once it is there, it goes on without backups that it cannot have. */
export const WRITTEN_DATABASE_RULES: readonly SpecRule<WrittenDatabase>[] = [...DATABASE_RULES, backupIsOffered];

/** What is accepted and ignored. */
export const DATABASE_ADVICE: readonly Advice<ReviewedDatabase>[] = [moduleVersionsAreIgnored, modulesAreCheckedLater];

/** Links keep their state in the engine. What an older release accepted stays, without data from other sites. */
function evictionSparesLinks({ kind, at, spec, before, existing }: ReviewedDatabase) {
  const isWritten = existing === undefined || (before !== undefined && before.evictionPolicy !== spec.evictionPolicy);
  const why = kind === "reaadb" && isWritten ? evictionObjection(spec.evictionPolicy) : undefined;
  return why === undefined ? [] : [forbiddenValue(`${at}.evictionPolicy`, why, 'write "noeviction" or "volatile-lru"')];
}

function backupIsOffered({ at, spec, name, isSite }: WrittenDatabase) {
  const why = spec.backup === undefined ? undefined : whyUnoffered({ name, isSite });
  return why === undefined ? [] : [forbiddenValue(`${at}.backup`, why, "leave it out")];
}

function moduleListsAreConsistent({ at, spec }: ReviewedDatabase) {
  return listContradiction(at, spec);
}

function modulesAreDistinct({ at, spec }: ReviewedDatabase) {
  return repeatedModules(at, spec);
}

function modulesAreKnown(reviewed: ReviewedDatabase) {
  const { at, spec } = reviewed;
  return unknownModules(at, spec, clusterOfReviewed(reviewed), spec.storeVersion);
}

/** Accepted, as objects of a new cluster are applied together; the cluster makes no database whose modules it lacks. */
function modulesAreCheckedLater(reviewed: ReviewedDatabase): readonly string[] {
  const { at, spec, before } = reviewed;
  const cluster = clusterOfReviewed(reviewed);
  if (before !== undefined || moduleItemsOf(spec).length === 0 || cluster === undefined) return [];
  if (cluster.modules !== undefined) return [];
  const names = moduleItemsOf(spec).map(({ name }) => `"${name}"`);
  return [
    `${fieldOf(at, spec)}: cluster "${cluster.name}" has not reported its modules yet; the database is made only if its nodes have ${names.join(", ")}`,
  ];
}

/** An Active-Active database may have version and list in different places, and asks for itself. */
function moduleVersionsAreUnchanged({ kind, at, spec, before }: ReviewedDatabase) {
  if (kind === "reaadb" || before === undefined || before.storeVersion === spec.storeVersion) return [];
  return renumberedModules(at, spec, before);
}

/** The modules of a database stay; those of one that no cluster has made yet may still be written differently. */
function modulesStay({ at, spec, before, existing }: ReviewedDatabase) {
  return existing === undefined ? [] : changedModules(at, spec, before, existing.modules);
}

/** Once, when they are written; an edit of an existing database does not repeat them. */
function moduleVersionsAreIgnored({ kind, at, spec, before }: ReviewedDatabase): readonly string[] {
  const numbered = moduleItemsOf(spec).filter(({ version }) => version !== undefined);
  if (kind === "reaadb" || before !== undefined || numbered.length === 0) return [];
  const names = numbered.map(({ name, version }) => `${name} ${version}`).join(", ");
  return [
    `${fieldOf(at, spec)}: the numbers (${names}) have no effect: a database uses the modules bundled with its version`,
  ];
}
