import { Command } from "commander";
import { settingsOfWire } from "../../../core/api/settings/values.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { askCluster } from "../site/management.ts";
import { outputOption, rendered, textTable, type OutputOption } from "../console/output.ts";
import { atSite, withSiteOptions, type SiteOptions } from "../site/site.ts";
import { bytesText } from "../console/units.ts";

interface DatabasesOptions extends SiteOptions, OutputOption {
  readonly cluster?: string;
}

/** `storectl databases`: the databases as the cluster itself tells them, those without an object too. */
export function databasesCommand(context: Asking): Command {
  const command = new Command("databases")
    .description("list the databases of a cluster, as the cluster tells them: those without an object too")
    .argument("[database]", "only the database of this name")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (database: string | undefined, options: DatabasesOptions) => {
      const all = await atSite(options, context, async (site) => {
        const { client } = await askCluster(site, options.cluster);
        return client.call("bdbs");
      });
      const bdbs = database === undefined ? all : [named(all, database)];
      context.print(rendered(options.output, bdbs, () => databasesTable(bdbs)));
      context.end(bdbs.every(({ status }) => status === "active") ? EXIT.ok : EXIT.found);
    });
  return withSiteOptions(command);
}

function named(all: readonly BdbRecord[], database: string): BdbRecord {
  const found = all.find(({ name }) => name === database);
  if (found !== undefined) return found;
  const names = all.map(({ name }) => name).join(", ");
  throw new Fault(faults.noDatabase, `the cluster has no database "${database}"; there are: ${names || "none"}`);
}

const HEADING = [
  "DATABASE",
  "UID",
  "VERSION",
  "STATUS",
  "PORT",
  "MEMORY",
  "PERSISTENCE",
  "REPLICAS",
  "MODULES",
  "WAITS FOR",
];

function databasesTable(bdbs: readonly BdbRecord[]): string {
  if (bdbs.length === 0) return "no databases\n";
  return textTable(HEADING, bdbs.map(databaseRow));
}

function databaseRow(bdb: BdbRecord): readonly string[] {
  const { memoryBytes, persistence } = settingsOfWire(bdb);
  return [
    bdb.name,
    String(bdb.uid),
    bdb.version_display === "" ? bdb.redis_version : bdb.version_display,
    bdb.status,
    String(bdb.port),
    bytesText(memoryBytes),
    persistence === "disabled" ? "in memory" : persistence,
    replicaNodes(bdb),
    bdb.module_list.map(({ module_name }) => module_name).join(", ") || "-",
    bdb.waiting_for === "" ? "-" : bdb.waiting_for,
  ];
}

/** Where the replicas are, the primary first, and which is behind: `node 2, node 1 (behind)`. */
function replicaNodes({ shard_list }: BdbRecord): string {
  return shard_list
    .toSorted((a, b) => a.role.localeCompare(b.role))
    .map(({ node_uid, role, status, in_sync }) => {
      const trouble = status !== "active" ? status : role === "replica" && !in_sync ? "behind" : "";
      return `node ${node_uid}${trouble === "" ? "" : ` (${trouble})`}`;
    })
    .join(", ");
}
