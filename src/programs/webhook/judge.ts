import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { activeActiveSpec, activeActiveStatus, remoteClusterSpec } from "../../core/api/active-active.ts";
import { clusterSpec } from "../../core/api/cluster-spec.ts";
import { clusterStatus } from "../../core/api/cluster-status.ts";
import { databaseSpec } from "../../core/api/database-spec.ts";
import { KINDS } from "../../core/api/kinds.ts";
import { API_GROUP, RELEASE_ANNOTATION } from "../../core/api/names.ts";
import { CustomResourceDefinitions } from "../../ports/kube/builtin.ts";
import {
  ACTIVE_ACTIVE_ADVICE,
  ACTIVE_ACTIVE_RULES,
  type ReviewedActiveActive,
} from "../../core/planner/admission/active-active.ts";
import { CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE } from "../../core/planner/admission/cluster.ts";
import type { ReviewedCluster } from "../../core/planner/admission/reviewed-cluster.ts";
import { objectionsToDefinition } from "../../core/planner/admission/definition.ts";
import { DATABASE_ADVICE, DATABASE_RULES } from "../../core/planner/admission/database.ts";
import type { ReviewedDatabase } from "../../core/planner/admission/reviewed-database.ts";
import { invalidValue } from "../../core/planner/admission/objection.ts";
import {
  REMOTE_CLUSTER_ADVICE,
  REMOTE_CLUSTER_RULES,
  type ReviewedRemoteCluster,
} from "../../core/planner/admission/remote-cluster.ts";
import { existingOf, referencesIn, type NamespaceObjects } from "../../mechanisms/observe/kubernetes/references.ts";
import { ACCEPTED, review, type SpecReview } from "../../core/planner/admission/review.ts";
import type { Release } from "../../core/releases/catalogue/release.ts";
import type { Asked } from "./review.ts";

/** Whether there is nothing to judge: no spec of ours is written, or the object is on its way out. */
export function isBeyondJudgement({ kind, operation, subResource, object, oldObject }: Asked): boolean {
  const isWrite = (operation === "CREATE" || operation === "UPDATE") && (subResource ?? "") === "";
  if (!isWrite || kind.group !== API_GROUP || object === null || object === undefined) return true;
  if (object.metadata.deletionTimestamp !== undefined) return true;
  return operation === "UPDATE" && isDeepStrictEqual(object.spec, oldObject?.spec);
}

/** Whether one of our definitions is replaced. */
export function isDefinition({ kind, operation, subResource, name, object, oldObject }: Asked): boolean {
  const isReplaced = operation === "UPDATE" && (subResource ?? "") === "" && Boolean(object && oldObject);
  const isOurs = kind.group === CustomResourceDefinitions.group && name.endsWith(`.${API_GROUP}`);
  return isReplaced && isOurs && kind.kind === CustomResourceDefinitions.kind;
}

/** What is said of a definition, by the releases that it and its successor are marked with. */
export function judgeDefinition({ object, oldObject }: Asked): SpecReview {
  const markOf = (one: Asked["object"]) => one?.metadata.annotations?.[RELEASE_ANNOTATION];
  return { denials: objectionsToDefinition({ mark: markOf(object), before: markOf(oldObject) }), warnings: [] };
}

/** What the rules of its kind say of the object that is asked about, given what is around it. */
export function judge(asked: Asked, objects: NamespaceObjects, release: Release): SpecReview {
  const name = asked.name || (asked.object?.metadata.name ?? "");
  switch (asked.kind.kind) {
    case KINDS.cluster.kind:
      return judged(asked, clusterSpec, (spec, before): ReviewedCluster => {
        const nodes = clusterStatus.safeParse(statusOf(asked)).data?.nodes?.length ?? 0;
        return { name, spec, before, nodes };
      })(CLUSTER_ADMISSION_RULES, CLUSTER_ADVICE);
    case KINDS.database.kind: {
      const references = referencesIn(objects, release, { kind: "databases", name });
      return judged(asked, databaseSpec, (spec, before): ReviewedDatabase => {
        const facts = { kind: "redb", name, at: "spec", spec, before } as const;
        return { ...facts, existing: existingOf(statusOf(asked)), references };
      })(DATABASE_RULES, DATABASE_ADVICE);
    }
    case KINDS.activeActive.kind: {
      const references = referencesIn(objects, release, { kind: "activeActives", name });
      const linked = activeActiveStatus.safeParse(statusOf(asked)).data?.linkedRedbs?.[0];
      const existing = existingOf(objects.databases.find(({ metadata }) => metadata.name === linked)?.status);
      return judged(asked, activeActiveSpec, (spec, before): ReviewedActiveActive => {
        return { name, spec, before, existing, references };
      })(ACTIVE_ACTIVE_RULES, ACTIVE_ACTIVE_ADVICE);
    }
    case KINDS.remoteCluster.kind: {
      const references = referencesIn(objects, release, { kind: "remoteClusters", name });
      return judged(asked, remoteClusterSpec, (spec, before): ReviewedRemoteCluster => {
        return { name, spec, before, references };
      })(REMOTE_CLUSTER_RULES, REMOTE_CLUSTER_ADVICE);
    }
    default:
      return ACCEPTED;
  }
}

type Judging<Facts> = (
  rules: Parameters<typeof review<Facts>>[0],
  advice: Parameters<typeof review<Facts>>[1],
) => SpecReview;

/** Reads both specs, and has the rules judge what `factsOf` makes of them. */
function judged<Spec, Facts>(
  { object, oldObject }: Asked,
  schema: z.ZodType<Spec>,
  factsOf: (spec: Spec, before: Spec | undefined) => Facts,
): Judging<Facts> {
  const spec = schema.safeParse(object?.spec);
  if (!spec.success) return () => ({ denials: spec.error.issues.map(objectionOf), warnings: [] });
  const before = schema.safeParse(oldObject?.spec).data;
  const facts = factsOf(spec.data, before);
  return (rules, advice) => review(rules, advice, facts, before === undefined ? undefined : factsOf(before, undefined));
}

/** What the schema of the CRD lets pass and ours does not; an older CRD may be installed. */
function objectionOf({ path, message, input }: z.core.$ZodIssue) {
  const field = path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : `${text}.${String(part)}`),
    "spec",
  );
  return invalidValue(field, input ?? null, message, `kubectl explain tells what ${field} may be`);
}

function statusOf({ oldObject }: Asked): unknown {
  return oldObject?.status ?? {};
}
