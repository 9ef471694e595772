import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { FaultSpec } from "#kit/base/fault";
import { MANAGEMENT_ROLES, rolesWith } from "../src/core/api/management-roles.ts";
import { NOT_OFFERED } from "../src/ports/management/not-offered.ts";
import { routes } from "../src/ports/management/routes.ts";
import { ENDPOINT_METRICS } from "../src/programs/agent/api/stats/endpoint-numbers.ts";
import { openApiDocument } from "../src/programs/agent/api/http/openapi.ts";
import { latestRelease } from "../src/core/releases/catalogue/find.ts";
import type { Moment } from "../src/core/planner/prerequisites/check.ts";
import { CHECKS } from "../src/core/planner/prerequisites/list.ts";
import { PERMISSIONS } from "../src/core/releases/permissions/permissions.ts";
import { PERSON_RIGHTS, PERSON_ROLES } from "../src/core/releases/permissions/people.ts";
import { PERSON_ROLE_TEXTS } from "../src/core/releases/permissions/person-role-texts.ts";
import type { Permission } from "../src/core/releases/permissions/permission.ts";
import { commandsPage } from "./generated-commands.ts";
import { metricsPage } from "./generated-metrics.ts";
import type { GeneratedFile } from "./generated-file.ts";

const ROOT = join(import.meta.dirname, "..");

/** The pages of docs/ whose truth is a table in the sources: commands, error codes, the management API, metrics, permissions, prerequisites. */
export async function generatedPages(): Promise<readonly GeneratedFile[]> {
  return [
    { path: "docs/commands.md", text: commandsPage() },
    { path: "docs/errors.md", text: await errorsPage() },
    { path: "docs/management-api.md", text: managementPage() },
    {
      path: "docs/management-api.openapi.json",
      text: `${JSON.stringify(openApiDocument(latestRelease()), undefined, 2)}\n`,
    },
    { path: "docs/metrics.md", text: metricsPage() },
    { path: "docs/permissions.md", text: permissionsPage() },
    { path: "docs/prerequisites.md", text: prerequisitesPage() },
  ];
}

/** Every fault of every room, by room. */
export async function faultTables(): Promise<
  readonly { readonly room: string; readonly faults: readonly FaultSpec[] }[]
> {
  const files = globSync(["src/*/faults.ts", "src/*/*/faults.ts", "packages/*/src/*/faults.ts"], { cwd: ROOT }).sort();
  return Promise.all(
    files.map(async (file) => {
      const module: { faults: Record<string, FaultSpec> } = await import(pathToFileURL(join(ROOT, file)).href);
      return { room: basename(dirname(file)), faults: Object.values(module.faults) };
    }),
  );
}

async function errorsPage(): Promise<string> {
  const chapters = (await faultTables()).map(({ room, faults }) => {
    const entries = [...faults].sort((a, b) => (a.code < b.code ? -1 : 1)).map((fault) => entry(room, fault));
    return `## ${room}\n\n${entries.join("\n")}`;
  });
  return `# Errors

Generated from the tables \`faults.ts\` of \`src\` and \`packages\` by \`npm run generate\`. A code is stable: match on it, never on the message. Each message
says what happened with the values of the moment; this page says what to do.

${chapters.join("\n")}`;
}

/** What runs once and tells its user; all else runs on and tries again. */
const COMMANDS = ["bin", "cli"];

function entry(room: string, { code, remedy, forPeople, retry }: FaultSpec): string {
  const helps = COMMANDS.includes(room) ? "Trying again can help." : "The product tries again automatically.";
  const again = retry === "backoff" ? helps : "Trying again alone does not help.";
  const people =
    forPeople === undefined
      ? ""
      : `\nAt a terminal (\`storectl\`): ${withPlaceholders(forPeople.replace(/\.?$/, "."))}\n`;
  return `### ${code}\n\n${withPlaceholders(remedy.replace(/\.?$/, "."))} ${again}\n${people}`;
}

/** Outside of code, Markdown takes `<name>` for an element and drops it. */
function withPlaceholders(text: string): string {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "\\<") : part))
    .join("`");
}

function managementPage(): string {
  const rows = Object.values(routes).map(
    ({ method, path, auth, why }) =>
      `| ${method} | \`${path.replace(/:(\w+)/g, "<$1>")}\` | ${auth === "none" || auth === "cluster" ? auth : `\`${auth}\``} | ${why} |`,
  );
  return `# Management API

This page lists the requests of the management API and the permission that each needs. The API is HTTPS on port 9443 of every node
(§4.2), with Basic credentials. The authority of the cluster signs its certificate (Secret \`<rec>-node-tls\`, key \`ca.crt\`). Any node answers; a
node that is not the leader passes writes on to the leader. The credentials in the Secret with the name of the cluster may do everything; those of a
user (\`/v1/users\`) may do what the role allows.

| Method | Path | Permission | What for |
|---|---|---|---|
${rows.join("\n")}

${rolesTable()}

Answers to reads have a weak \`ETag\`, except \`/metrics\` and paths whose permission is \`none\` or \`cluster\`. A request with \`If-None-Match\`
gets 304 while nothing has changed except the members that change with time (\`offset\`, \`lag_bytes\`, \`uptime\`).

A request that starts asynchronous work answers with an \`action_uid\`; \`GET /v1/actions/<uid>\` shows the state of that work. Errors are JSON with
\`error_code\`, \`description\` and \`message\` (the same text):

| Status | Means |
|---|---|
| 400 | the body is malformed; the message names the field |
| 401 | no or wrong credentials |
| 403 | the role of the caller does not allow it, or the licence does not |
| 404 | no such object or path, or an operation that is not offered |
| 405 | the path exists, but not with this method; the header \`Allow\` lists the methods |
| 406 | the request is well-formed, but cannot be done; the message says why and what to do |
| 409 | another change is under way; try again later |
| 413 | the body is larger than 1 MiB |
| 415 | the body is not declared to be JSON |
| 429 | too many users log in for the first time at once; try again |
| 503 | the node is not part of a cluster yet, or no leader can be reached |

Paths below \`/v1/local\` concern only the node that is asked.

The [OpenAPI document](management-api.openapi.json) describes every answer; the API serves it too (\`GET /v1/openapi.json\`). Your client must ignore
members that it does not know.

## Shards

As in other APIs of this kind, a shard of this API is one engine process, a primary or a replica: \`shard_list\` has their uids, \`/v1/bdbs/<uid>/shards\`
the shards. A uid is unique in the cluster and is never used again. It is a number in lists and a text in the shard itself. \`shards_count\` is the number of
primaries, and \`shard\` says to which of them an engine process belongs: those with the same number have the same \`assigned_slots\`. \`sharding\` follows from
\`shards_count\`: it may be left out. A request in which both differ is refused.

## Bodies

Members of other APIs of this kind that can have only one value here (\`type\`, \`rack_aware\`, \`default_user\` and such) are accepted
with that value. \`data_persistence\` is one word here, for instance \`aofEverySecond\`. \`aof\` with an \`aof_policy\` and \`snapshot\` with a
\`snapshot_policy\` are accepted too, and shown as that one word.

## Measurements

The paths with \`stats\` measure at the moment of the request; nodes keep no history. A metric that no engine or proxy reports is absent. Each node
also shows the numbers of its endpoints to Prometheus, at \`/metrics\`: [metrics.md](metrics.md).

| Of | Metrics |
|---|---|
| a shard | what its engine reports: \`used_memory\`, \`used_memory_peak\`, \`used_memory_rss\`, \`memory_limit\`, \`mem_size_lua\`, \`mem_frag_ratio\`, \`connected_clients\`, \`blocked_clients\`, \`pubsub_channels\`, \`pubsub_patterns\`, \`last_save_time\`, \`rdb_changes_since_last_save\`, \`total_req\` (a second), \`no_of_keys\`, \`no_of_expires\` |
| a database | of its endpoints at all nodes, since their proxies began: ${ENDPOINT_METRICS.map((name) => `\`${name}\``).join(", ")} (the first three are of the moment); \`used_memory\` and \`mem_size_lua\` of all its shards; \`instantaneous_ops_per_sec\`, \`no_of_keys\`, \`no_of_expires\`, \`pubsub_channels\` and \`pubsub_patterns\` of its primary |
| a node | the same of its endpoints, \`provisional_memory\`: bytes that one more database could have |
| the cluster | the sums over its nodes |

\`GET /v1/logs\` has the events whose time the cluster still knows: when cluster and databases were made, when databases were last changed, when
modules were installed, and when nodes started or left.

## Not offered

This API does not have these operations of other APIs of this kind. It answers 404 with the code \`not_offered\`, and the description says what comes
closest:

| Path | What comes closest |
|---|---|
${NOT_OFFERED.map(notOfferedRow).join("\n")}

A write with an unknown parameter in its query, for instance \`dry_run\`, gets the same answer.
`;
}

function notOfferedRow({ method, paths, instead }: (typeof NOT_OFFERED)[number]): string {
  const shown = paths.map(
    (path) => `\`${method === undefined ? "" : `${method} `}${path.replace(/:(\w+)/g, "<$1>")}\``,
  );
  return `| ${shown.join(", ")} | ${instead} |`;
}

function rolesTable(): string {
  const permissions = [...new Set(Object.values(routes).map(({ auth }) => auth))].filter(
    (auth) => auth !== "none" && auth !== "cluster",
  );
  const rows = permissions.map(
    (permission) =>
      `| \`${permission}\` | ${MANAGEMENT_ROLES.map((role) => (rolesWith(permission).includes(role) ? "yes" : "")).join(" | ")} |`,
  );
  return `| Permission | ${MANAGEMENT_ROLES.map((role) => `\`${role}\``).join(" | ")} |
|---|${MANAGEMENT_ROLES.map(() => "---|").join("")}
${rows.join("\n")}

Only an \`admin\` gives the role \`admin\` to a user, or changes a user who has it. In the first table, \`none\` needs no credentials;
\`cluster\` is for the nodes of a cluster, with the credentials of its Secret.`;
}

const PROGRAMS = {
  operator: "The operator (Role `store-enterprise-operator`, in the bundle)",
  node: "The nodes of a cluster (Role `<rec>`, made by the operator)",
  rigger: "The services rigger of a cluster (Role `<rec>-services-rigger`, made by the operator)",
} as const;

const NAMES = {
  leaderLease: "`<rec>-leader`",
  nodeLeases: "`<rec>-node-<n>`",
  nodePods: "`<rec>-<n>`",
  nodeSecrets: "`<rec>-db-<n>`, `<rec>-user-<n>`",
  unprivilegedConstraint: "`nonroot-v2`",
} as const;

function permissionsPage(): string {
  const chapters = Object.entries(PROGRAMS).map(([who, title]) => {
    const rows = PERMISSIONS.filter((permission) => permission.who === who).map(permissionRow);
    return `## ${title}\n\n| Resource | Verbs | Why | Without it |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Permissions

Generated from \`src/core/releases/permissions/permissions.ts\` by \`npm run generate\`; the Roles are generated from the same table. Everything is inside one namespace.
Every further namespace that the operator manages has the operator's Role too. The Role of the operator also contains what it grants to nodes
and riggers, because Kubernetes does not let an account grant more than it has. A test goes through the life of a cluster and fails when a verb
was not used. For a verb that an ordinary life does not use, the table says when it is used.

${chapters.join("\n")}
${peopleChapter()}`;
}

function peopleChapter(): string {
  const roles = PERSON_ROLES.map((role) => {
    const { does, reaches } = PERSON_ROLE_TEXTS[role];
    return `| \`${role}\` | \`deploy/${role}-role.yaml\` | ${does} | ${reaches} |`;
  });
  const rights = PERSON_RIGHTS.map(({ group, resource, verbs, only, isClusterWide, why, roles: holders }) => {
    const names =
      only === undefined
        ? ""
        : ` named ${only === "loginSecrets" ? "`<rec>`, `<rec>-node-tls`" : only.map((name) => `\`${name}\``).join(", ")}`;
    const scope = isClusterWide === true ? " (ClusterRole)" : "";
    return `| \`${resource}${group === "" ? "" : `.${group}`}\`${names}${scope} | ${verbs.join(", ")} | ${holders.join(", ")} | ${why} |`;
  });
  return `## People

\`kubectl\` and \`storectl\` work with the permissions of who calls them; the Roles above are for programs and give people nothing. These Roles are ready for people. A user
who may grant permissions binds them, in the namespace of the cluster. \`storectl\` prints a Role with the binding, and so does the remedy of each message that
says what you may not do:

\`\`\`sh
storectl role reader --user alice | kubectl apply -n default -f -
storectl role upgrader installer --cluster rec --group platform | kubectl apply -n default -f -
storectl role login --cluster rec --service-account ci:robot | kubectl apply -n default -f -
\`\`\`

The files of the table hold the same Roles, for a cluster \`rec\` and without bindings; \`--set people.roles=true,people.clusters={rec}\` has the Helm chart make them.
What belongs to no namespace (workers, definitions, the webhook) is in a ClusterRole of the same name, which needs a ClusterRoleBinding.

| Role | File | Its holder | Reaches by it |
|---|---|---|---|
${roles.join("\n")}

A user who lacks a permission to look sees what depends on it as not known, and the command ends with 4. \`storectl upgrade\`, \`storectl recover\` and the commands of
\`storectl active-active\` that write ask the API server for all permissions that they need before they begin; \`CLI_PERMISSIONS_MISSING\` names each one that is missing.
No Role lets read the private key of the webhook, so its certificate is not known to \`storectl preflight\` of people, or uncordon a worker.

| Resource | Verbs | Roles | What for |
|---|---|---|---|
${rights.join("\n")}
`;
}

function permissionRow({ group, resource, verbs, only, on, why, without, rarely }: Permission): string {
  const name = `\`${resource}${group === "" ? "" : `.${group}`}\`${only === undefined ? "" : ` named ${NAMES[only]}`}${on === "openshift" ? " (on OpenShift)" : ""}`;
  return `| ${name} | ${verbs.join(", ")} | ${why}${rarely === undefined ? "" : ` (${rarely})`} | ${without} |`;
}

const MOMENT_WORDS: Readonly<Record<Moment, string>> = {
  spec: "operator, as soon as the spec is written: SPEC STATUS Invalid",
  edit: "operator, as soon as the spec is written: STATE InvalidUpgrade",
  write: "operator, in each pass",
  start: "operator, before the cluster moves to another release and all the way",
  step: "operator, before each node is touched",
  plan: "storectl preflight",
};

function prerequisitesPage(): string {
  const rows = CHECKS.map(
    ({ id, asks, at }) => `| \`${id}\` | ${asks} | ${at.map((moment) => MOMENT_WORDS[moment]).join("; ")} |`,
  );
  return `# Prerequisites

Generated from \`src/core/planner/prerequisites/list.ts\` by \`npm run generate\`. Each check is a pure function of gathered facts, the same for
every caller; \`storectl preflight\` runs all of them. A finding has an id (this one, or a narrower one), a severity, evidence with live values, and
the command that clears it. A fact that could not be read is \`unknown\`, never passed.

| Check | Passes when | Asked by |
|---|---|---|
${rows.join("\n")}
`;
}
