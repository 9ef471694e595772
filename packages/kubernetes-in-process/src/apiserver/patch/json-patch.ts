import jsonPatch from "fast-json-patch";
import { isArray, isJsonObject, type JsonObject } from "../schema/json.ts";
import type { PatchOutcome } from "./outcome.ts";

const MAX_OPERATIONS = 10_000;
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** RFC 6902, all operations or none. `object` is not changed. */
export function applyJsonPatch(object: JsonObject, operations: unknown): PatchOutcome {
  if (!isArray(operations)) return failPatch("malformed", "a JSON patch is an array of operations");
  if (operations.length > MAX_OPERATIONS) {
    const said = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`;
    return failPatch("tooLarge", said);
  }
  if (!operations.every(isOperation))
    return failPatch("malformed", "every operation of a JSON patch has an op and a path");
  return applyInTurn(structuredClone(object), operations);
}

function applyInTurn(start: unknown, operations: readonly jsonPatch.Operation[]): PatchOutcome {
  let document: unknown = start;
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    // copies can double the document with each operation, so their sum is bounded
    if (operation.op === "copy") copied += sizeAt(document, operation.from);
    if (copied > MAX_COPIED_BYTES)
      return failPatch("tooLarge", `the copies of the patch exceed ${MAX_COPIED_BYTES} bytes`);
    try {
      document = jsonPatch.applyOperation(document, structuredClone(operation), true, true, true, index).newDocument;
    } catch (error) {
      return failPatch("unprocessable", sentenceFor(error, operation));
    }
  }
  return isJsonObject(document)
    ? { kind: "patched", object: document }
    : failPatch("unprocessable", "the patch does not leave an object");
}

function sizeAt(document: unknown, pointer: string): number {
  try {
    return JSON.stringify(jsonPatch.getValueByPointer(document, pointer) ?? null).length;
  } catch {
    return 0; // a path that leads nowhere is reported when the operation itself is applied
  }
}

function sentenceFor(error: unknown, { op, path }: jsonPatch.Operation): string {
  const code = error instanceof jsonPatch.JsonPatchError ? error.name : "";
  if (code === "TEST_OPERATION_FAILED") return `testing value ${path} failed: test failed`;
  if (code === "OPERATION_PATH_UNRESOLVABLE" || code === "OPERATION_PATH_CANNOT_ADD") {
    return `${op} operation does not apply: doc is missing path: "${path}": missing value`;
  }
  return `${op} operation does not apply at "${path}": ${code === "" ? String(error) : code}`;
}

function isOperation(value: unknown): value is jsonPatch.Operation {
  return isJsonObject(value) && typeof value["op"] === "string" && typeof value["path"] === "string";
}

function failPatch(why: "malformed" | "unprocessable" | "tooLarge", message: string): PatchOutcome {
  return { kind: "failed", why, message };
}
