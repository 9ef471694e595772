import { Command, InvalidArgumentError } from "commander";
import { getObjects } from "../../../core/api/kubectl.ts";
import { MOST_SHARDS } from "../../../core/api/database-spec.ts";
import { Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { readDatabases } from "../../../ports/management/databases.ts";
import { askCluster } from "../access/management.ts";
import {
  type NamespaceAccess,
  withAccess,
  withNamespaceOptions,
  type NamespaceOptions,
} from "../access/namespace-access.ts";
import { EXIT, type Asking } from "../console/context.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import { findDatabase } from "./command.ts";
import { reshapePlanText } from "./reshape-plan-text.ts";

interface ReshapeOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
  readonly dryRun?: boolean;
}

/** `storectl reshape`: says what another number of shards takes, and asks for it. */
export function reshapeCommand(context: Asking): Command {
  const command = new Command("reshape")
    .description("give a database another number of shards while clients write: the plan first, then the request")
    .argument("<database>", "the database")
    .argument("<shards>", "how many shards it shall have", shardsIn)
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .option("--dry-run", "say what it takes, and change nothing")
    .addOption(outputOption())
    .action(async (database: string, shards: number, options: ReshapeOptions) => {
      await withAccess(options, context, async (access) => {
        const { client } = await askCluster(access, options.cluster);
        const { uid } = findDatabase((await readDatabases(client)).bdbs, database);
        const plan = await client.call("shardsPlan", { params: { uid, count: shards } });
        context.print(
          renderAnswer(options.output, plan, (columns) => reshapePlanText(database, plan, columns), context),
        );
        if (options.dryRun === true) return context.end(EXIT.ok);
        if (!(await askByObject(access, database, shards)))
          await client.call("updateBdb", { params: { uid }, body: { shards_count: shards } });
        if (options.output === "table")
          context.print(`\nIt has begun. Follow it: ${getObjects(`redb ${database}`)} -w\n`);
        return context.end(EXIT.ok);
      });
    });
  return withNamespaceOptions(command);
}

/** The operator asks the cluster for what the object says; false for a database without an object. */
async function askByObject({ kube, namespace }: NamespaceAccess, name: string, shardCount: number): Promise<boolean> {
  if ((await kube.get(Databases, { name, namespace })) === undefined) return false;
  await kube.patch(Databases, { name, namespace }, { type: "merge", body: { spec: { shardCount } } });
  return true;
}

function shardsIn(text: string): number {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_SHARDS) throw new InvalidArgumentError(`it must be a number from 1 to ${MOST_SHARDS}`);
  return count;
}
