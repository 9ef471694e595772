import { at, listAt, numberAt, textAt, type Json } from "../json.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, count, createdColumn, nameColumn, text } from "./column.ts";

export const leaseColumns: readonly Column[] = [
  nameColumn,
  text("Holder", (o) => textAt(o, "spec", "holderIdentity")),
  ageColumn,
];

export const bindingColumns: readonly Column[] = [
  nameColumn,
  text("Role", (o) => `${textAt(o, "roleRef", "kind")}/${textAt(o, "roleRef", "name")}`),
  ageColumn,
  text("Users", (o) => subjects(listAt(o, "subjects"), "User"), 1),
  text("Groups", (o) => subjects(listAt(o, "subjects"), "Group"), 1),
  text("ServiceAccounts", (o) => subjects(listAt(o, "subjects"), "ServiceAccount"), 1),
];

export const disruptionBudgetColumns: readonly Column[] = [
  nameColumn,
  text("Min Available", (o) => String(at(o, "spec", "minAvailable") ?? "N/A")),
  text("Max Unavailable", (o) => String(at(o, "spec", "maxUnavailable") ?? "N/A")),
  count("Allowed Disruptions", (o) => numberAt(o, "status", "disruptionsAllowed") ?? 0),
  ageColumn,
];

export const webhookColumns: readonly Column[] = [
  nameColumn,
  count("Webhooks", (o) => listAt(o, "webhooks").length),
  ageColumn,
];

export const definitionColumns: readonly Column[] = [nameColumn, createdColumn];

function subjects(all: readonly Json[], kind: string): string {
  return all
    .filter((subject) => subject["kind"] === kind)
    .map((subject) => (kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/` : "") + textAt(subject, "name"))
    .join(", ");
}
