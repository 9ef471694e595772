import { objectMember, type JsonObject } from "../schema/json.ts";
import type { ManagerId } from "./managed-fields.ts";
import type { ApplyConflict } from "./outcome.ts";

/** The message of the Status that refuses an apply. */
export function describeConflicts(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.field}`;
  }
  const lines = [...Map.groupBy(conflicts, ({ manager }) => manager)].flatMap(([manager, theirs]) => [
    `conflicts with ${manager}:`,
    ...theirs.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

/** A manager as conflicts name it: `"kubectl-edit" using apps/v1`; an applier goes by its name alone. */
export function spokenManager({ manager, operation, apiVersion, subresource }: ManagerId): string {
  const name =
    JSON.stringify(manager) + (subresource === undefined ? "" : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}

/** Says which fields of a configuration its kind does not have. */
export function undeclaredSentence(applied: JsonObject, fields: readonly string[]): string {
  const { namespace = "", name = "" } = objectMember(applied, "metadata") ?? {};
  const about = `${String(namespace)}/${String(name)}; ${String(applied["apiVersion"])}, Kind=${String(applied["kind"])}`;
  const lines = fields.map((field) => `.${field}: field not declared in schema`);
  const said = lines.length === 1 ? ` ${lines.join("")}` : ` errors:${lines.map((line) => `\n  ${line}`).join("")}`;
  return `failed to create typed patch object (${about}):${said}`;
}
