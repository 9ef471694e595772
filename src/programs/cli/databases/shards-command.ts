import { Command } from "commander";
import { readDatabases } from "../../../ports/management/databases.ts";
import { reachCluster, unaskedText } from "../access/management.ts";
import { withAccess, withNamespaceOptions, type NamespaceOptions } from "../access/namespace-access.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { findDatabase } from "./command.ts";
import { shardsTable, shownShards, type ShownShard } from "./shards-report.ts";

interface ShardsOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
}

/** `storectl shards`: where the shards of databases are, what each holds, and how evenly they are used. */
export function shardsCommand(context: Asking): Command {
  const command = new Command("shards")
    .description("list the shards of databases: slots, nodes, keys, memory, and how evenly they are used")
    .argument("[database]", "only the shards of the database of this name")
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .addOption(outputOption())
    .action(async (database: string | undefined, options: ShardsOptions) => {
      await withAccess(options, context, async (access) => {
        const asked = await reachCluster(access, options.cluster);
        if ("lack" in asked) {
          context.print(renderAnswer(options.output, [], (columns) => unaskedText(asked.lack, columns), context));
          return context.end(EXIT.unknown);
        }
        const { bdbs, shards } = await readDatabases(asked.client);
        const wanted = database === undefined ? bdbs : [findDatabase(bdbs, database)];
        const shown = shownShards(wanted, shards, await asked.client.call("shardsStatsLast"));
        context.print(renderAnswer(options.output, shown, (columns) => shardsTable(shown, columns), context));
        return context.end(shown.every(isWhole) ? EXIT.ok : EXIT.found);
      });
    });
  return withNamespaceOptions(command);
}

function isWhole({ status }: ShownShard): boolean {
  return status === "active";
}
