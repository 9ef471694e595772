import { at, listAt, numberAt, textAt, type Json } from "../objects/json.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, countColumn, createdColumn, nameColumn, textColumn } from "./column.ts";

export const leaseColumns: readonly Column[] = [
  nameColumn,
  textColumn("Holder", (o) => textAt(o, "spec", "holderIdentity")),
  ageColumn,
];

export const bindingColumns: readonly Column[] = [
  nameColumn,
  textColumn("Role", (o) => `${textAt(o, "roleRef", "kind")}/${textAt(o, "roleRef", "name")}`),
  ageColumn,
  textColumn("Users", (o) => subjects(listAt(o, "subjects"), "User"), 1),
  textColumn("Groups", (o) => subjects(listAt(o, "subjects"), "Group"), 1),
  textColumn("ServiceAccounts", (o) => subjects(listAt(o, "subjects"), "ServiceAccount"), 1),
];

export const disruptionBudgetColumns: readonly Column[] = [
  nameColumn,
  textColumn("Min Available", (o) => String(at(o, "spec", "minAvailable") ?? "N/A")),
  textColumn("Max Unavailable", (o) => String(at(o, "spec", "maxUnavailable") ?? "N/A")),
  countColumn("Allowed Disruptions", (o) => numberAt(o, "status", "disruptionsAllowed") ?? 0),
  ageColumn,
];

export const webhookColumns: readonly Column[] = [
  nameColumn,
  countColumn("Webhooks", (o) => listAt(o, "webhooks").length),
  ageColumn,
];

export const definitionColumns: readonly Column[] = [nameColumn, createdColumn];

function subjects(all: readonly Json[], kind: string): string {
  return all
    .filter((subject) => subject["kind"] === kind)
    .map((subject) => (kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/` : "") + textAt(subject, "name"))
    .join(", ");
}
