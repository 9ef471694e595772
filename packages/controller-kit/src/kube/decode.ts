import { Fault, messageOf } from "../base/fault.ts";
import { faults } from "./faults.ts";
import type { ResourceType, Stored, WatchEvent } from "./kube.ts";
import { apiVersionOf } from "./path.ts";
import { faultOf, statusOf } from "./status.ts";

/** One object of an answer; what a dry run would make may have neither uid nor version, which are empty then. */
export function decodeObject<T>(type: ResourceType<T>, text: string, isDryRun = false): Stored<T> {
  const value = json(text);
  return decodeStored(type, isDryRun ? withVersion(value) : value);
}

function withVersion(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value["metadata"])) return value;
  return { ...value, metadata: { uid: "", resourceVersion: "", ...value["metadata"] } };
}

/** One page of a list. */
export function decodeList<T>(
  type: ResourceType<T>,
  text: string,
): { items: Stored<T>[]; resourceVersion: string; next: string } {
  const list = json(text);
  if (!isRecord(list) || !isRecord(list["metadata"]) || !(Array.isArray(list["items"]) || list["items"] === null)) {
    throw unreadable(`the list of ${type.plural} has no items`);
  }
  const { resourceVersion, continue: next } = list["metadata"];
  const items: unknown[] = list["items"] ?? [];
  return {
    items: items.map((item) => decodeStored(type, item)),
    resourceVersion: textOr(resourceVersion),
    next: textOr(next),
  };
}

/** One line of a watch; an ERROR line throws its fault. */
export function decodeEvent<T>(type: ResourceType<T>, line: string): WatchEvent<T> {
  const event = json(line);
  if (!isRecord(event)) throw unreadable(`a watch of ${type.plural} sent a line that is no object`);
  switch (event["type"]) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: event["type"], object: decodeStored(type, event["object"]) };
    case "BOOKMARK":
      return { type: "BOOKMARK", resourceVersion: bookmarkOf(event["object"]) };
    case "ERROR":
      throw faultOf(statusOf(500, event["object"]), `the watch of ${type.plural} ended`);
    default:
      throw unreadable(`a watch of ${type.plural} sent an event of unknown type ${JSON.stringify(event["type"])}`);
  }
}

/** Items of lists come without `apiVersion` and `kind`: the type tells them. */
function decodeStored<T>(type: ResourceType<T>, value: unknown): Stored<T> {
  const named = isRecord(value)
    ? { ...value, apiVersion: value["apiVersion"] ?? apiVersionOf(type), kind: value["kind"] ?? type.kind }
    : value;
  if (!isStored<T>(named)) throw unreadable(`the answer is no ${type.kind} with a name, uid and resourceVersion`);
  return named;
}

/** Checks what this room relies on; the rest is the server's word, which the schema of the kind holds it to. */
function isStored<T>(value: unknown): value is Stored<T> {
  if (!isRecord(value) || !isRecord(value["metadata"])) return false;
  const { name, uid, resourceVersion } = value["metadata"];
  return [value["apiVersion"], value["kind"], name, uid, resourceVersion].every((field) => typeof field === "string");
}

function bookmarkOf(object: unknown): string {
  return isRecord(object) && isRecord(object["metadata"]) ? textOr(object["metadata"]["resourceVersion"]) : "";
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(`the answer is no JSON: ${messageOf(error)}`, error);
  }
}

function unreadable(message: string, cause?: unknown): Fault {
  return new Fault(faults.unavailable, message, {}, cause);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}
