import { Command, Option } from "commander";
import { Restores } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import {
  withAccess,
  withNamespaceOptions,
  type NamespaceAccess,
  type NamespaceOptions,
} from "../access/namespace-access.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { readShardCount } from "../console/shard-count.ts";
import { askForRestore } from "./ask.ts";
import { restorePlanText } from "./report.ts";
import { waitForRestore } from "./wait.ts";

interface RestoreOptions extends NamespaceOptions {
  readonly into: string;
  readonly name?: string;
  readonly memory?: string;
  readonly storeVersion?: string;
  readonly shards?: number;
  readonly slots?: readonly string[];
  readonly replaceLostData?: boolean;
  readonly encryptionSecret?: string;
  readonly dryRun?: boolean;
  readonly wait: boolean;
}

/** `storectl restore`: makes a database with the data of a backup. */
export function restoreCommand(context: Asking): Command {
  const command = new Command("restore")
    .description("make a database with the data of a backup; none that has its data is overwritten")
    .argument("<backup>", "the backup, as storectl backup list names it")
    .requiredOption("--into <database>", "the database that is made, or filled")
    .option("--name <name>", "the name of the restore (default: made from that of the database)")
    .option("--memory <size>", "the memory of the database (default: as the saved one has it, or as the data need)")
    .option("--store-version <version>", "the version of the database (default: as the backup has it)")
    .option(
      "--shards <count>",
      "other shards than the backup has: they are changed once the database serves",
      readShardCount,
    )
    .addOption(new Option("--slots <slots...>", "the slots of each shard, as 0-865 866 867-16383").conflicts("shards"))
    .addOption(
      new Option(
        "--replace-lost-data",
        "fill a database that is there and in recovery, whose data is gone with the volumes of its nodes",
      ).conflicts(["memory", "storeVersion", "shards", "slots"]),
    )
    .option("--encryption-secret <name>", "the Secret with the keys of the backup (default: as the backup names it)")
    .option("--dry-run", "show what would be made, and make nothing")
    .addOption(new Option("--no-wait", "do not wait until the database serves"))
    .action(async (backup: string, options: RestoreOptions) => {
      await withAccess(options, context, (access) => run(access, context, { ...options, backup }));
    });
  return withNamespaceOptions(command);
}

async function run(
  access: NamespaceAccess,
  context: Asking,
  request: RestoreOptions & { readonly backup: string },
): Promise<void> {
  const { kube, namespace } = access;
  const name = await askForRestore(access, request);
  if (request.dryRun === true) {
    try {
      const planned = await waitForRestore(access, context, name);
      context.print(restorePlanText(planned));
      return context.end(planned.status?.phase === "Planned" ? EXIT.ok : EXIT.found);
    } finally {
      await kube.delete(Restores, { name, namespace });
    }
  }
  context.print(`Asked for the restore ${name}\n`);
  if (!request.wait) return context.end(EXIT.ok);
  const ended = await waitForRestore(access, context, name);
  return context.end(ended.status?.phase === "Completed" ? EXIT.ok : EXIT.found);
}
