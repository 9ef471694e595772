import { isJsonObject, member, objectMember, objectOf, sameJson, type JsonObject } from "../schema/json.ts";
import { pruneUnknown } from "../schema/prune.ts";
import type { Schema } from "../schema/schema.ts";
import {
  difference,
  emptySet,
  fieldPaths,
  intersection,
  isEmptySet,
  sameSet,
  unionOfFields,
  type FieldSet,
} from "./field-set.ts";
import { spokenManager, undeclaredSentence } from "./apply-messages.ts";
import { allowedConflicts, withLastApplied } from "./last-applied.ts";
import {
  afterWriteOfAnother,
  keyOfManager,
  managersOf,
  ownable,
  stampOf,
  withManagers,
  type Manager,
  type ManagerId,
  type Managers,
} from "./managed-fields.ts";
import type { ApplyConflict, ApplyOutcome, ApplyRequest } from "./outcome.ts";
import { compareFields, fieldsOf, mergeApplied, removeFields, withNamedParents } from "./structured.ts";

/**
 * Server-side apply: merges `applied` into `live`, removes what this manager applied before and applies no more (unless another manager owns it
 * too), and refuses to change what others own unless forced.
 */
export function serverSideApply(request: ApplyRequest): ApplyOutcome {
  const { live, schema, manager } = request;
  const metadata = objectMember(request.applied, "metadata");
  if (metadata !== undefined && (member(metadata, "managedFields") ?? null) !== null) {
    return { kind: "failed", message: "metadata.managedFields must be nil" };
  }
  const undeclared = pruneUnknown(schema, request.applied).dropped;
  if (undeclared.length > 0) return { kind: "failed", message: undeclaredSentence(request.applied, undeclared) };
  const applied = withoutResets(request);
  const id = applierOf(request);
  const before = live === undefined ? new Map<string, Manager>() : managersBefore(live, schema, request.now);
  const { object, managers, conflicts } = mergeConfiguration({ live, applied, schema, id, before, now: request.now });
  const refused = request.force ? [] : refusedConflicts(conflicts, live, schema, manager);
  if (refused.length > 0) return { kind: "conflict", conflicts: refused };
  const result = withLastApplied(object, live, applied, manager);
  if (live !== undefined && sameJson(result, live) && sameManagers(managers, before))
    return { kind: "applied", object: live };
  return { kind: "applied", object: withManagers(result, managers) };
}

interface Merge {
  readonly live: JsonObject | undefined;
  readonly applied: JsonObject;
  readonly schema: Schema;
  readonly id: ManagerId;
  readonly before: Managers;
  readonly now: Date;
}

interface Merged {
  readonly object: JsonObject;
  readonly managers: Managers;
  /** What each other manager owns of the fields that change. */
  readonly conflicts: readonly Manager[];
}

function mergeConfiguration({ live, applied, schema, id, before, now }: Merge): Merged {
  const key = keyOfManager(id);
  const last = before.get(key);
  const spoken = fieldsOf(schema, applied);
  const fields = ownable(spoken);
  const own: Manager =
    last !== undefined && sameSet(last.fields, fields) ? { ...last, id } : { id, fields, time: stampOf(now) };
  const claimed: Managers = new Map([...before, [key, own]]);
  const full = live === undefined ? applied : mergeApplied(schema, live, applied);
  const abandoned = last === undefined ? emptySet : abandonedFields(schema, last.fields, claimed, spoken);
  const object = asObject(removeFields(schema, full, abandoned));
  const comparison = compareFields(schema, live ?? {}, object);
  const changed = ownable(comparison.changed);
  const conflicts = [...claimed]
    .filter(([other]) => other !== key)
    .map(([, one]) => ({ ...one, fields: intersection(one.fields, changed) }))
    .filter(({ fields: theirs }) => !isEmptySet(theirs));
  return { object, managers: afterWriteOfAnother(claimed, key, { ...comparison, changed }), conflicts };
}

/** What the last apply of a manager owned and no manager owns now; `spoken` keeps the object's own name, which has no owner. */
function abandonedFields(schema: Schema, last: FieldSet, managers: Managers, spoken: FieldSet): FieldSet {
  const closed = (fields: FieldSet): FieldSet => withNamedParents(schema, fields);
  const owned = [...managers.values()].reduce((all, { fields }) => unionOfFields(all, fields), spoken);
  return difference(closed(last), closed(owned));
}

/** An object without a known owner belongs to a manager of its past, so that taking it over is seen. */
function managersBefore(live: JsonObject, schema: Schema, now: Date): Managers {
  const known = managersOf(live);
  if (known.size > 0) return known;
  const id: ManagerId = { manager: "before-first-apply", operation: "Update", apiVersion: String(live["apiVersion"]) };
  return new Map([[keyOfManager(id), { id, fields: ownable(fieldsOf(schema, live)), time: stampOf(now) }]]);
}

function refusedConflicts(
  conflicts: readonly Manager[],
  live: JsonObject | undefined,
  schema: Schema,
  manager: string,
): readonly ApplyConflict[] {
  const allowed = manager === "kubectl" ? allowedConflicts(live, schema) : emptySet;
  const byName = conflicts.toSorted((a, b) => (keyOfManager(a.id) < keyOfManager(b.id) ? -1 : 1));
  return byName.flatMap(({ id, fields }) =>
    fieldPaths(difference(fields, allowed)).map((field) => ({ manager: spokenManager(id), field })),
  );
}

function applierOf({ applied, manager, subresource }: ApplyRequest): ManagerId {
  const apiVersion = String(applied["apiVersion"]);
  return { manager, operation: "Apply", apiVersion, ...(subresource === undefined ? {} : { subresource }) };
}

/** The configuration without the fields that this endpoint never writes. */
function withoutResets({ applied, subresource, resets = [] }: ApplyRequest): JsonObject {
  const written = (key: string): boolean =>
    subresource === "status" ? ["apiVersion", "kind", "metadata", "status"].includes(key) : !resets.includes(key);
  return objectOf(
    Object.entries(applied)
      .filter(([key]) => written(key))
      .map(
        ([key, value]) => [key, key === "metadata" && subresource === "status" ? identityOf(value) : value] as const,
      ),
  );
}

function identityOf(metadata: unknown): JsonObject {
  const identity = ["name", "namespace", "uid", "resourceVersion"];
  return objectOf(Object.entries(isJsonObject(metadata) ? metadata : {}).filter(([key]) => identity.includes(key)));
}

function sameManagers(a: Managers, b: Managers): boolean {
  const present = (all: Managers): Manager[] => [...all.values()].filter(({ fields }) => !isEmptySet(fields));
  return (
    present(a).length === present(b).length &&
    present(a).every((one) => sameSet(one.fields, b.get(keyOfManager(one.id))?.fields ?? emptySet))
  );
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
