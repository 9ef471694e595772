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
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import { answerToAsked } from "./asked-shards.ts";
import { findDatabase } from "./command.ts";
import { reshapePlanText } from "./reshape-plan-text.ts";

interface ReshapeOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
  readonly dryRun?: boolean;
  readonly mayDiscardData?: boolean;
}

/** `storectl reshape`: says what another number of shards takes, and asks for it. */
export function reshapeCommand(context: Asking): Command {
  const command = new Command("reshape")
    .description("give a database another number of shards while clients write: the plan first, then the request")
    .argument("<database>", "the database")
    .argument("<shards>", "how many shards it shall have", shardsIn)
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .option("--dry-run", "say what it takes, and change nothing")
    .option(
      "--may-discard-data",
      "leave keys behind that scripts wrote at a shard without declaring them (KeysMisplaced)",
    )
    .addOption(outputOption())
    .action(async (database: string, shards: number, options: ReshapeOptions) => {
      await withAccess(options, context, (access) => reshape({ access, context, options }, database, shards));
    });
  return withNamespaceOptions(command);
}

interface Call {
  readonly access: NamespaceAccess;
  readonly context: Asking;
  readonly options: ReshapeOptions;
}

async function reshape({ access, context, options }: Call, database: string, count: number): Promise<void> {
  const { client } = await askCluster(access, options.cluster);
  const bdb = findDatabase((await readDatabases(client)).bdbs, database);
  const { uid, shards_count: has, shards_count_asked: asked = has } = bdb;
  const object = await access.kube.get(Databases, { name: database, namespace: access.namespace });
  const { said, writes } = answerToAsked({ database, count, has, asked, written: object?.spec.shardCount });
  const known: ShardsPlanRecord | KeptShards =
    said === undefined
      ? await client.call("shardsPlan", { params: { uid, count } })
      : { shards_count: has, shards_count_asked: count, said };
  context.print(renderAnswer(options.output, known, (columns) => answerText(database, known, columns), context));
  const consents = options.mayDiscardData === true && count !== has;
  if (options.dryRun === true || !(writes || consents)) return context.end(EXIT.ok);
  await ask({ access, client, object: object === undefined ? undefined : database }, { uid, count, writes, consents });
  if (options.output === "table") context.print(afterRequest(database, { begins: said === undefined, consents }));
  return context.end(EXIT.ok);
}

function afterRequest(
  database: string,
  { begins, consents }: Readonly<Record<"begins" | "consents", boolean>>,
): string {
  const agreed = "\nAgreed: keys at shards that do not have their slots go with the former shards.\n";
  const begun = `\nIt has begun. Follow it: ${getObjects(`redb ${database}`)} -w\n`;
  return `${consents ? agreed : ""}${begins ? begun : ""}`;
}

interface Request {
  readonly uid: number;
  readonly count: number;
  /** The number is not written yet. */
  readonly writes: boolean;
  readonly consents: boolean;
}

interface Asked {
  readonly access: NamespaceAccess;
  readonly client: ManagementClient;
  /** The name of the object; undefined: there is none. */
  readonly object: string | undefined;
}

/** The operator asks the cluster for what the object says, and knows of no consent. */
async function ask({ access, client, object }: Asked, { uid, count, writes, consents }: Request): Promise<void> {
  if (object !== undefined && writes) await patchShards(access, object, count);
  if (object !== undefined && !consents) return;
  const consent = consents ? { may_discard_data: true } : {};
  await client.call("updateBdb", { params: { uid }, body: { shards_count: count, ...consent } });
}

/** No shards are made. */
interface KeptShards extends Pick<ShardsPlanRecord, "shards_count" | "shards_count_asked"> {
  readonly said: string;
}

function answerText(database: string, known: ShardsPlanRecord | KeptShards, columns: number): string {
  return "said" in known ? `${known.said}\n` : reshapePlanText(database, known, columns);
}

async function patchShards({ kube, namespace }: NamespaceAccess, name: string, shardCount: number): Promise<void> {
  await kube.patch(Databases, { name, namespace }, { type: "merge", body: { spec: { shardCount } } });
}

function shardsIn(text: string): number {
  const count = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST_SHARDS) throw new InvalidArgumentError(`it must be a number from 1 to ${MOST_SHARDS}`);
  return count;
}
