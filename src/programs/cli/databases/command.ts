import { Command } from "commander";
import { settingsOfWire } from "../../../core/api/settings/values.ts";
import { Fault } from "#kit/base/fault";
import { readDatabases, type DatabasesAnswer } from "../../../ports/management/databases.ts";
import type { BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { faults } from "../faults.ts";
import { reachCluster, unaskedText } from "../access/management.ts";
import { rememberedDatabases, rememberedTable } from "./remembered.ts";
import { outputOption, renderAnswer, textTable, type OutputOption } from "../console/output.ts";
import { lackOf } from "../access/rights.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { bytesText } from "../console/units.ts";

interface DatabasesOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
}

/** `storectl databases`: the databases as the cluster itself reports them, those without an object too. */
export function databasesCommand(context: Asking): Command {
  const command = new Command("databases")
    .description("list the databases of a cluster, as the cluster reports them: those without an object too")
    .argument("[database]", "only the database of this name")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (database: string | undefined, options: DatabasesOptions) => {
      await withAccess(options, context, async (access) => {
        const asked = await reachCluster(access, options.cluster);
        if ("lack" in asked) {
          const known = await rememberedDatabases(access, asked, database);
          const lack = await lackOf(access, access.denied.list(), asked.rec.metadata.name);
          context.print(
            renderAnswer(
              options.output,
              known,
              (columns) => `${rememberedTable(known, columns)}${unaskedText(lack, columns)}`,
              context,
            ),
          );
          return context.end(EXIT.unknown);
        }
        const all = await readDatabases(asked.client);
        const bdbs = database === undefined ? all.bdbs : [findDatabase(all.bdbs, database)];
        context.print(
          renderAnswer(options.output, bdbs, (columns) => databasesTable({ ...all, bdbs }, columns), context),
        );
        return context.end(bdbs.every(({ status }) => status === "active") ? EXIT.ok : EXIT.found);
      });
    });
  return withNamespaceOptions(command);
}

/** The database of this name; CLI_NO_DATABASE with the names that there are. */
export function findDatabase(all: readonly BdbRecord[], database: string): BdbRecord {
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
  "PRIMARY",
  "REPLICAS",
  "MODULES",
  "WAITS FOR",
];

function databasesTable({ bdbs, shards }: DatabasesAnswer, columns: number): string {
  if (bdbs.length === 0) return "no databases\n";
  const rowOf = (bdb: BdbRecord): readonly string[] =>
    databaseRow(
      bdb,
      shards.filter(({ bdb_uid }) => bdb_uid === bdb.uid),
    );
  return textTable(HEADING, bdbs.map(rowOf), columns);
}

function databaseRow(bdb: BdbRecord, shards: readonly ShardInstanceRecord[]): readonly string[] {
  const { memoryBytes, persistence } = settingsOfWire(bdb);
  return [
    bdb.name,
    String(bdb.uid),
    bdb.version_display === "" ? bdb.redis_version : bdb.version_display,
    bdb.status,
    String(bdb.port),
    bytesText(memoryBytes),
    persistence === "disabled" ? "in memory" : persistence,
    nodesOf(shards, "master"),
    nodesOf(shards, "slave"),
    bdb.module_list.map(({ module_name }) => module_name).join(", ") || "-",
    bdb.waiting_for === "" ? "-" : bdb.waiting_for,
  ];
}

/** Where the instances of a role are, and what is wrong with one: `node 2, node 1 (behind)`; of several that are alike, how many: `2 on node 1`. */
function nodesOf(shards: readonly ShardInstanceRecord[], wanted: ShardInstanceRecord["role"]): string {
  const nodes = shards
    .filter(({ role }) => role === wanted)
    .map(({ node_uid, role, status, detailed_status, in_sync }) => {
      const trouble = status !== "active" ? detailed_status : role === "slave" && !in_sync ? "behind" : "";
      return `node ${node_uid}${trouble === "" ? "" : ` (${trouble})`}`;
    });
  const counted = [...Map.groupBy(nodes.toSorted(), (node) => node)];
  return counted.map(([node, { length }]) => (length === 1 ? node : `${length} on ${node}`)).join(", ") || "-";
}
