import { isArray, isJsonObject, member, objectMember, objectOf, type JsonObject } from "../schema/json.ts";
import {
  difference,
  emptySet,
  formatFields,
  isEmptySet,
  leaf,
  parseFields,
  setOf,
  unionOfFields,
  type FieldSet,
} from "./field-set.ts";
import type { ManagedFieldsEntry } from "./outcome.ts";
import type { FieldComparison } from "./structured.ts";

/** The writer: an apply is the same manager in every version, an update is not. */
export interface ManagerId {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string;
}

/** A manager and the fields it owns. */
export interface Manager {
  readonly id: ManagerId;
  readonly fields: FieldSet;
  readonly time?: string;
}

/** The managers of one object, by `keyOfManager`. */
export type Managers = ReadonlyMap<string, Manager>;

const MAX_UPDATE_MANAGERS = 10;

/** Never owned: the identity of the object, and what the server itself writes. */
const UNOWNED = [
  "clusterName",
  "creationTimestamp",
  "generation",
  "managedFields",
  "name",
  "namespace",
  "resourceVersion",
  "selfLink",
  "uid",
];
const SERVER_FIELDS = setOf(false, [
  ["f:apiVersion", leaf],
  ["f:kind", leaf],
  [
    "f:metadata",
    setOf(
      true,
      UNOWNED.map((name) => [`f:${name}`, leaf] as const),
    ),
  ],
]);

/** The key under which the entries of one manager are merged. */
export function keyOfManager({ manager, operation, apiVersion, subresource = "" }: ManagerId): string {
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

/** The fields a manager can own of these. */
export function ownable(fields: FieldSet): FieldSet {
  return difference(fields, SERVER_FIELDS);
}

/** The managers that an object's metadata names; entries of another form are left out. */
export function managersOf(object: JsonObject | undefined): Managers {
  const metadata = object === undefined ? undefined : objectMember(object, "metadata");
  const entries = metadata === undefined ? undefined : member(metadata, "managedFields");
  const managers = (isArray(entries) ? entries : []).map(parseEntry).filter((manager) => manager !== undefined);
  return new Map(managers.map((manager) => [keyOfManager(manager.id), manager]));
}

/** The managers as metadata.managedFields lists them: appliers first, then by age. */
export function entriesOf(managers: Managers): readonly ManagedFieldsEntry[] {
  return capUpdaters(
    [...managers.values()].filter(({ fields }) => !isEmptySet(fields)).toSorted(byOperationThenAge),
  ).map(formatEntry);
}

/** The managers after another manager's write: they lose the fields that it changed or removed. */
export function afterWriteOfAnother(
  managers: Managers,
  writer: string,
  { changed, removed }: FieldComparison,
): Managers {
  const written = unionOfFields(changed, removed);
  return new Map(
    [...managers].map(([key, one]) => [
      key,
      key === writer ? one : { ...one, fields: difference(one.fields, written) },
    ]),
  );
}

/** The object with these managers in its metadata. */
export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const metadata = { ...objectMember(object, "metadata"), managedFields: entriesOf(managers) };
  return objectOf([...Object.entries(object).filter(([key]) => key !== "metadata"), ["metadata", metadata]]);
}

/** The instant as managedFields carry it. */
export function stampOf(now: Date): string {
  return `${now.toISOString().slice(0, 19)}Z`;
}

function parseEntry(entry: unknown): Manager | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsV1 } = entry;
  if (operation !== "Apply" && operation !== "Update") return undefined;
  return {
    id: {
      manager: stringOr(manager),
      operation,
      apiVersion: stringOr(apiVersion),
      ...(stringOr(subresource) === "" ? {} : { subresource: stringOr(subresource) }),
    },
    fields: parseFields(fieldsV1),
    ...(stringOr(time) === "" ? {} : { time: stringOr(time) }),
  };
}

function formatEntry({ id, fields, time }: Manager): ManagedFieldsEntry {
  return {
    manager: id.manager,
    operation: id.operation,
    apiVersion: id.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: formatFields({ ...fields, member: false }),
    ...(id.subresource === undefined ? {} : { subresource: id.subresource }),
  };
}

/** The oldest updaters beyond the limit become one: an object cannot grow by being written under many names. */
function capUpdaters(sorted: readonly Manager[]): readonly Manager[] {
  const updaters = sorted.filter(({ id }) => id.operation === "Update");
  const excess = updaters.length - MAX_UPDATE_MANAGERS;
  const newest = updaters[0];
  if (excess <= 0 || newest === undefined) return sorted;
  const old = updaters.slice(0, excess + 1);
  const ancient: Manager = {
    ...newest,
    id: { manager: "ancient-changes", operation: "Update", apiVersion: newest.id.apiVersion },
    fields: old.reduce((all, { fields }) => unionOfFields(all, fields), emptySet),
  };
  return [...sorted.filter(({ id }) => id.operation === "Apply"), ancient, ...updaters.slice(excess + 1)];
}

function byOperationThenAge(a: Manager, b: Manager): number {
  const spelled = ({ id, time = "" }: Manager): string => [id.operation, time, id.manager].join("\n");
  return spelled(a) < spelled(b) ? -1 : 1;
}

function stringOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}
