import { siteNumber } from "../../../core/planner/active-active/numbers.ts";
import { shardsOfSite } from "../../../core/planner/active-active/slices.ts";
import type { ActiveActiveRecord } from "../../../core/api/records.ts";
import type { CrdbTask, LinkHealth } from "../../../ports/management/records.ts";
import { textTable } from "../console/output.ts";
import { bytesText } from "../console/units.ts";

/** One line for each database. */
export function listText(
  rows: readonly (ActiveActiveRecord & { readonly replication: string })[],
  columns?: number,
): string {
  if (rows.length === 0) return "no Active-Active databases\n";
  const cells = rows.map(({ name, version, participants, replication, guid }) => {
    return [name, version, participants.map((site) => site.name).join(", "), replication, guid];
  });
  return textTable(["DATABASE", "VERSION", "SITES", "REPLICATION", "GUID"], cells, columns);
}

/** What the sites agree on: a line for each fact, then the sites, then the configuration. */
export function recordText(record: ActiveActiveRecord, columns?: number): string {
  const { name, guid, version, edit, participants, configuration } = record;
  const facts = [
    ["DATABASE", name],
    ["GUID", guid],
    ["VERSION", version],
    ["LAST EDIT", `${edit.count}, at ${edit.author}`],
  ];
  const sites = participants.map((site) => {
    const port = site.externalReplicationPort;
    const shards = shardsOfSite(record, site.name);
    return [
      site.name,
      String(siteNumber(record, site.name) ?? "-"),
      port === undefined ? "-" : String(port),
      String(shards),
    ];
  });
  const fields = Object.entries(configuration).map(([field, value]) => [
    field,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const [first = [], ...rest] = facts;
  const tables = [textTable(first, rest), textTable(["SITE", "ID", "REPLICATION PORT", "SHARDS"], sites, columns)];
  return [...tables, ...(fields.length === 0 ? [] : [textTable(["FIELD", "VALUE"], fields, columns)])].join("\n");
}

const HEADING = ["SITE", "ID", "STATE", "SINCE", "LAG", "UNCONFIRMED", "RECEIVED", "SENT", "CAUSE"];

/** One line about the database here, then one line for each other site. */
export function healthText(name: string, health: LinkHealth, columns?: number): string {
  const clients = health.awaits_sites ? ["clients of this site wait until it has what the others hold\n"] : [];
  const cause = health.cause === "" ? [] : [`nothing is sent from this site: ${health.cause}\n`];
  const sites =
    health.sites.length === 0 ? "no other site\n" : textTable(HEADING, health.sites.map(siteCells), columns);
  return [`${name}: ${health.state}\n`, ...clients, ...cause, "\n", sites, ...sliceTables(health, columns)].join("");
}

/** Where the database was made with several shards, a line for each range of slots that is merged on its own, and each other site. */
function sliceTables({ slices = [] }: LinkHealth, columns: number | undefined): readonly string[] {
  const cells = slices.flatMap(({ slots, shard, sites }) =>
    sites.map((site) => [
      slots,
      String(shard),
      site.name,
      site.state,
      `${Math.round(site.lag_ms)} ms`,
      String(site.unconfirmed),
      site.agreement?.agreed_at ?? "-",
      String(site.agreement?.differing ?? "-"),
      site.cause === "" ? "-" : site.cause,
    ]),
  );
  return cells.length === 0 ? [] : ["\n", textTable(SLICE_HEADING, cells, columns)];
}

const SLICE_HEADING = ["SLOTS", "SHARD", "SITE", "STATE", "LAG", "UNCONFIRMED", "SAME AT", "DIFFERING", "CAUSE"];

/** Whether the keys of each other site are the same: a line for each site, then one for each key that is shown. */
export function compareText(health: LinkHealth, columns?: number): string {
  if (health.sites.length === 0) return "no other site\n";
  const sites = health.sites.map(({ name, state, cause, agreement }) => [
    name,
    agreement?.agreed_at ?? "-",
    agreement?.compared_at ?? "-",
    String(agreement?.differing ?? "-"),
    String(agreement?.found ?? "-"),
    whyNotCompared(state, cause, agreement) || "-",
  ]);
  const keys = health.sites.flatMap(({ name, agreement }) =>
    (agreement?.differences ?? []).map(({ key, here, there, since }) => [key, name, since, here, there]),
  );
  const tables = [textTable(["SITE", "SAME AT", "COMPARED AT", "DIFFERING", "FOUND", "NOT COMPARED"], sites, columns)];
  return [
    [...tables, ...sliceTables(health, columns)].join(""),
    ...(keys.length === 0 ? [] : [textTable(["KEY", "SITE", "SINCE", "HERE", "THERE"], keys, columns)]),
  ].join("\n");
}

/** Why nothing is known of the keys of a site; empty while it is compared. */
export function whyNotCompared(
  state: LinkHealth["state"],
  cause: string,
  agreement: LinkHealth["sites"][number]["agreement"],
): string {
  if (agreement !== undefined) return agreement.cause;
  return state === "down" ? cause : "it has not been compared yet, or its nodes or these are of an older release";
}

function siteCells(site: LinkHealth["sites"][number]): readonly string[] {
  return [
    site.name,
    String(site.id),
    site.state,
    site.since ?? "-",
    `${Math.round(site.lag_ms)} ms`,
    String(site.unconfirmed),
    bytesText(site.received_bytes),
    bytesText(site.sent_bytes),
    site.cause === "" ? "-" : site.cause,
  ];
}

/** One line for each task. */
export function tasksText(tasks: readonly CrdbTask[], columns?: number): string {
  if (tasks.length === 0) return "no tasks: this cluster takes part no more\n";
  const cells = tasks.map(({ id, operation, status, waiting_for }) => [id, operation, status, waiting_for || "-"]);
  return textTable(["TASK", "OPERATION", "STATUS", "WAITS FOR"], cells, columns);
}
