import { isArray, member, objectMember, type JsonObject } from "../schema/json.ts";
import { difference, emptySet, isEmptySet, unionOfFields } from "./field-set.ts";
import {
  afterWriteOfAnother,
  entriesOf,
  keyOfManager,
  managersOf,
  ownable,
  stampOf,
  type ManagerId,
  type Managers,
} from "./managed-fields.ts";
import type { ManagedFieldsEntry, UpdateRequest } from "./outcome.ts";
import { compareFields } from "./structured.ts";

/**
 * metadata.managedFields after a create, update or patch: the writer owns what it changed, others lose it. A caller that
 * sends managedFields of its own replaces them (an empty list clears them); one that sends none leaves them.
 * An object whose managers were cleared stays without until something is applied to it.
 */
export function trackUpdate({
  before,
  after,
  manager,
  schema,
  now,
  subresource,
}: UpdateRequest): readonly ManagedFieldsEntry[] {
  const id: ManagerId = {
    manager,
    operation: "Update",
    apiVersion: String(after["apiVersion"]),
    ...(subresource === undefined ? {} : { subresource }),
  };
  const { changed, removed } = compareFields(schema, before ?? {}, after);
  return entriesOf(
    afterUpdate(managersOf(sentManagers(before, after)), id, { changed: ownable(changed), removed }, stampOf(now)),
  );
}

function afterUpdate(
  managers: Managers,
  id: ManagerId,
  written: Parameters<typeof afterWriteOfAnother>[2],
  time: string,
): Managers {
  const key = keyOfManager(id);
  const previous = managers.get(key);
  const owned = difference(previous?.fields ?? emptySet, written.removed);
  const own = isEmptySet(written.changed)
    ? { ...previous, id, fields: owned }
    : { id, fields: unionOfFields(owned, written.changed), time };
  return new Map([...afterWriteOfAnother(managers, key, written), [key, own]]);
}

function sentManagers(before: JsonObject | undefined, after: JsonObject): JsonObject | undefined {
  const metadata = objectMember(after, "metadata");
  return metadata !== undefined && isArray(member(metadata, "managedFields")) ? after : before;
}
