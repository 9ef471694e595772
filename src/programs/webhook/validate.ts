import { isDeepStrictEqual } from "node:util";
import { activeActiveSpec, activeActiveStatus, remoteClusterSpec } from "../../core/api/active-active.ts";
import { firstSlots } from "../../core/api/awaits-data.ts";
import { clusterSpec } from "../../core/api/cluster-spec.ts";
import { clusterStatus } from "../../core/api/cluster-status.ts";
import { databaseSpec } from "../../core/api/database-spec.ts";
import { KINDS } from "../../core/api/kinds.ts";
import { API_GROUP, RELEASE_ANNOTATION } from "../../core/api/names.ts";
import { parseQuantity } from "#kit/base/quantity";
import { CustomResourceDefinitions } from "#kit/kube/builtin";
import {
  ACTIVE_ACTIVE_ADVICE,
  ACTIVE_ACTIVE_RULES,
  type ReviewedActiveActive,
} from "../../core/planner/admission/active-active.ts";
import { BACKUP_SCHEDULE_REVIEW } from "../../core/planner/admission/backup-schedule.ts";
import { CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE } from "../../core/planner/admission/cluster.ts";
import type { ReviewedCluster } from "../../core/planner/admission/reviewed-cluster.ts";
import { objectionsToDefinition } from "../../core/planner/admission/definition.ts";
import { DATABASE_ADVICE, WRITTEN_DATABASE_RULES } from "../../core/planner/admission/database.ts";
import type { WrittenDatabase } from "../../core/planner/admission/reviewed-database.ts";
import {
  REMOTE_CLUSTER_ADVICE,
  REMOTE_CLUSTER_RULES,
  type ReviewedRemoteCluster,
} from "../../core/planner/admission/remote-cluster.ts";
import { RESTORE_REVIEW } from "../../core/planner/admission/restore.ts";
import { existingOf, referencesIn, type NamespaceObjects } from "../../mechanisms/observe/kubernetes/references.ts";
import { ACCEPTED, type SpecReview } from "../../core/planner/admission/review.ts";
import type { GrowthRefusal } from "../../core/planner/view/volume-growth.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";
import type { ReviewRequest } from "./review.ts";
import { validateSpec } from "./validate-spec.ts";

/** Whether there is nothing to validate: no spec of the product is written, or the object is being deleted. */
export function isExempt({ kind, operation, subResource, object, oldObject }: ReviewRequest): boolean {
  const isWrite = (operation === "CREATE" || operation === "UPDATE") && (subResource ?? "") === "";
  if (!isWrite || kind.group !== API_GROUP || object === null || object === undefined) return true;
  if (object.metadata.deletionTimestamp !== undefined) return true;
  return operation === "UPDATE" && isDeepStrictEqual(object.spec, oldObject?.spec);
}

/** The size to which the write lets the volumes of a cluster grow; undefined when it lets them stay. */
export function grownSize({ kind, object, oldObject }: ReviewRequest): string | undefined {
  if (kind.kind !== KINDS.cluster.kind) return undefined;
  const [now, before] = [object, oldObject].map((one) => clusterSpec.safeParse(one?.spec).data?.persistentSpec);
  if (now === undefined || before === undefined) return undefined;
  return parseQuantity(now.volumeSize) > parseQuantity(before.volumeSize) ? now.volumeSize : undefined;
}

/** Whether a definition of the product is replaced. */
export function isDefinition({ kind, operation, subResource, name, object, oldObject }: ReviewRequest): boolean {
  const isReplaced = operation === "UPDATE" && (subResource ?? "") === "" && Boolean(object && oldObject);
  const isOurs = kind.group === CustomResourceDefinitions.group && name.endsWith(`.${API_GROUP}`);
  return isReplaced && isOurs && kind.kind === CustomResourceDefinitions.kind;
}

/** The objections to a definition, by the releases of the old and the new one. */
export function validateDefinition({ object, oldObject }: ReviewRequest): SpecReview {
  const markOf = (one: ReviewRequest["object"]) => one?.metadata.annotations?.[RELEASE_ANNOTATION];
  return { denials: objectionsToDefinition({ mark: markOf(object), before: markOf(oldObject) }), warnings: [] };
}

/** The objections of the rules of its kind to the object, given the references in its namespace. */
export function validate(
  asked: ReviewRequest,
  objects: NamespaceObjects,
  release: Release,
  growthRefusal?: GrowthRefusal,
): SpecReview {
  const name = asked.name || (asked.object?.metadata.name ?? "");
  switch (asked.kind.kind) {
    case KINDS.cluster.kind: {
      const references = referencesIn(objects, release, { kind: "clusters", name });
      return validateSpec(asked, clusterSpec, (spec, before): ReviewedCluster => {
        return { name, spec, before, ...reportedBy(asked), growthRefusal, references };
      })(CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE);
    }
    case KINDS.database.kind:
      return validateDatabase(asked, name, referencesIn(objects, release, { kind: "databases", name }));
    case KINDS.activeActive.kind: {
      const references = referencesIn(objects, release, { kind: "activeActives", name });
      const linked = activeActiveStatus.safeParse(statusOf(asked)).data?.linkedRedbs?.[0];
      const existing = existingOf(objects.databases.find(({ metadata }) => metadata.name === linked)?.status);
      return validateSpec(asked, activeActiveSpec, (spec, before): ReviewedActiveActive => {
        return { name, spec, before, existing, references };
      })(ACTIVE_ACTIVE_RULES, ACTIVE_ACTIVE_ADVICE);
    }
    case KINDS.remoteCluster.kind: {
      const references = referencesIn(objects, release, { kind: "remoteClusters", name });
      return validateSpec(asked, remoteClusterSpec, (spec, before): ReviewedRemoteCluster => {
        return { name, spec, before, references };
      })(REMOTE_CLUSTER_RULES, REMOTE_CLUSTER_ADVICE);
    }
    default:
      return validateOfBackups(asked, objects, name);
  }
}

function validateDatabase(asked: ReviewRequest, name: string, references: WrittenDatabase["references"]): SpecReview {
  const first = firstSlots(asked.object?.metadata.annotations);
  const facts = { existing: existingOf(statusOf(asked)), references, firstSlots: first, isSite: isSite(asked) };
  return validateSpec(asked, databaseSpec, (spec, before): WrittenDatabase => {
    return { kind: "redb", name, at: "spec", spec, before, ...facts };
  })(WRITTEN_DATABASE_RULES, DATABASE_ADVICE);
}

function validateOfBackups(asked: ReviewRequest, objects: NamespaceObjects, name: string): SpecReview {
  switch (asked.kind.kind) {
    case KINDS.restore.kind:
      return validateRestore(asked, objects);
    case KINDS.backupSchedule.kind:
      return validateSchedule(asked, name);
    default:
      return ACCEPTED;
  }
}

/** Whether an Active-Active database has made the database. */
function isSite({ object }: ReviewRequest): boolean {
  const owners = object?.metadata.ownerReferences ?? [];
  return owners.some(({ kind, controller }) => controller === true && kind === KINDS.activeActive.kind);
}

function validateSchedule(asked: ReviewRequest, name: string): SpecReview {
  const { schema, rules, factsOf } = BACKUP_SCHEDULE_REVIEW;
  return validateSpec(asked, schema, factsOf(name))(rules, []);
}

function validateRestore(asked: ReviewRequest, { databases }: NamespaceObjects): SpecReview {
  const { schema, rules, factsAmong } = RESTORE_REVIEW;
  return validateSpec(asked, schema, factsAmong(databases))(rules, []);
}

/** What the status of a cluster says. */
function reportedBy(asked: ReviewRequest): Pick<ReviewedCluster, "nodes" | "tags" | "askedSize"> {
  const { version = [], nodes = [], persistenceStatus } = clusterStatus.safeParse(statusOf(asked)).data ?? {};
  const tags = [...new Set([version, nodes.map((node) => node.version)].flat())];
  return { nodes: nodes.length, tags, askedSize: persistenceStatus?.volumeSize };
}

function statusOf({ oldObject }: ReviewRequest): unknown {
  return oldObject?.status ?? {};
}
