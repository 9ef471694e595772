import { Command, Option } from "commander";
import { getObjects } from "../../../core/api/kubectl.ts";
import type { DatabaseSpec } from "../../../core/api/database-spec.ts";
import { namedShards } from "../../../core/slots/named-slots.ts";
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
import { readShardCount } from "../console/shard-count.ts";
import { outputOption, renderAnswer, type OutputOption } from "../console/output.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ShardsPlanRecord } from "../../../ports/management/records/shards-plan.ts";
import type { BdbRecord } from "../../../ports/management/records/databases.ts";
import { answerToAsked, evenShards, shardsOfCount, type ShardTexts } from "./asked-shards.ts";
import { findDatabase } from "./command.ts";
import { reshapePlanText } from "./reshape-plan-text.ts";

interface ReshapeOptions extends NamespaceOptions, OutputOption {
  readonly cluster?: string;
  readonly slots?: readonly string[];
  readonly even?: boolean;
  readonly dryRun?: boolean;
  readonly mayDiscardData?: boolean;
}

/** `storectl reshape`: says what other shards take, and asks for them. */
export function reshapeCommand(context: Asking): Command {
  const command = new Command("reshape")
    .description("give a database other shards while clients write: the plan first, then the request")
    .argument("<database>", "the database")
    .argument("[shards]", "how many shards it shall have; they get even slots", readShardCount)
    .option("--slots <slots...>", "the slots of each shard, as 0-865 866 867-16383; a shard whose slots stay is kept")
    .addOption(new Option("--even", "as many slots for each of the shards that it has").conflicts("slots"))
    .option("--cluster <name>", "the cluster (default: the only one of the namespace)")
    .option("--dry-run", "say what it takes, and change nothing")
    .option(
      "--may-discard-data",
      "leave keys behind that scripts wrote at a shard without declaring them (KeysMisplaced)",
    )
    .addOption(outputOption())
    .action(async (database: string, shards: number | undefined, options: ReshapeOptions) => {
      requireShards(command, shards, options);
      await withAccess(options, context, (access) => reshape({ access, context, options }, database, shards));
    });
  return withNamespaceOptions(command);
}

/** Ends the program unless it is said which shards are meant; consent alone is about those that are asked for. */
function requireShards(
  command: Command,
  count: number | undefined,
  { slots, even = false, mayDiscardData = false }: ReshapeOptions,
): void {
  const ways = [count !== undefined, slots !== undefined, even].filter(Boolean).length;
  if (ways > 1) command.error("error: name a number of shards, --slots or --even, and not two of them");
  if (ways === 0 && !mayDiscardData) command.error("error: say how many shards it shall have, or --slots, or --even");
  const named = slots === undefined ? undefined : namedShards(slots);
  if (named !== undefined && "why" in named)
    command.error(
      `error: --slots: ${named.why}; each slot from 0 to 16383 is named once, as in --slots 0-865 866 867-16383`,
    );
}

interface Call {
  readonly access: NamespaceAccess;
  readonly context: Asking;
  readonly options: ReshapeOptions;
}

async function reshape({ access, context, options }: Call, database: string, count?: number): Promise<void> {
  const { client } = await askCluster(access, options.cluster);
  const bdb = findDatabase((await readDatabases(client)).bdbs, database);
  const object = await access.kube.get(Databases, { name: database, namespace: access.namespace });
  const request = requestFor(bdb, count, options);
  const { has, asked } = tablesOf(bdb);
  const written = object === undefined ? undefined : writtenIn(object.spec, has);
  const agrees = options.mayDiscardData === true;
  const { said, writes } = answerToAsked({ database, wanted: request.shards, has, asked, written, agrees });
  const known: ShardsPlanRecord | KeptShards =
    said === undefined
      ? await client.call("shardsPlan", { params: { uid: bdb.uid, count: planText(request) } })
      : { shards_count: has.length, shards_count_asked: request.shards.length, said };
  context.print(renderAnswer(options.output, known, (columns) => answerText(database, known, columns), context));
  const consents = agrees && request.shards.join(" ") !== has.join(" ");
  if (options.dryRun === true || !(writes || consents)) return context.end(EXIT.ok);
  const target = { access, client, object: object === undefined ? undefined : database };
  await ask(target, { ...request, uid: bdb.uid, writes, consents });
  if (options.output === "table") context.print(afterRequest(database, { begins: said === undefined, consents }));
  return context.end(EXIT.ok);
}

/** The shards that are asked for. */
interface AskedFor {
  readonly shards: ShardTexts;
  /** They are named: a number alone is asked for otherwise. */
  readonly isNamed: boolean;
}

function requestFor(bdb: BdbRecord, count: number | undefined, { slots, even }: ReshapeOptions): AskedFor {
  const { has, asked } = tablesOf(bdb);
  if (slots !== undefined) return { shards: slots, isNamed: true };
  if (even === true) return { shards: evenShards(has.length), isNamed: true };
  if (count !== undefined) return { shards: shardsOfCount(count, has), isNamed: false };
  return { shards: asked, isNamed: bdb.shard_slots_asked !== undefined };
}

/** The shards that serve, and those that were asked for last. */
function tablesOf(bdb: BdbRecord): Readonly<Record<"has" | "asked", ShardTexts>> {
  const { shards_count: count, shards_count_asked: asked = count, shard_slots_asked: named } = bdb;
  // nodes of older releases, which have one shard, do not say it
  const { shard_slots: has = evenShards(count) } = bdb;
  return { has, asked: named ?? shardsOfCount(asked, has) };
}

function writtenIn(
  { shardCount, shardSlots }: Partial<Pick<DatabaseSpec, "shardCount" | "shardSlots">>,
  has: ShardTexts,
): ShardTexts | undefined {
  return shardSlots ?? (shardCount === undefined ? undefined : shardsOfCount(shardCount, has));
}

/** As the path of the plan says it. */
function planText({ shards, isNamed }: AskedFor): string {
  return isNamed ? shards.join(";") : `${shards.length}`;
}

function afterRequest(
  database: string,
  { begins, consents }: Readonly<Record<"begins" | "consents", boolean>>,
): string {
  const agreed = "\nAgreed: keys at shards that do not have their slots go with the former shards.\n";
  const begun = `\nIt has begun. Follow it: ${getObjects(`redb ${database}`)} -w\n`;
  return `${consents ? agreed : ""}${begins ? begun : ""}`;
}

interface Request extends AskedFor {
  readonly uid: number;
  /** They are not written yet. */
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
async function ask({ access, client, object }: Asked, request: Request): Promise<void> {
  const { uid, shards, isNamed, writes, consents } = request;
  if (object !== undefined && writes) await patchShards(access, object, request);
  if (object !== undefined && !consents) return;
  const asked = isNamed ? { shard_slots: shards } : { shards_count: shards.length };
  await client.call("updateBdb", {
    params: { uid },
    body: { ...asked, ...(consents ? { may_discard_data: true } : {}) },
  });
}

/** No shards are made. */
interface KeptShards extends Pick<ShardsPlanRecord, "shards_count" | "shards_count_asked"> {
  readonly said: string;
}

function answerText(database: string, known: ShardsPlanRecord | KeptShards, columns: number): string {
  return "said" in known ? `${known.said}\n` : reshapePlanText(database, known, columns);
}

/** What the object said of slots counts no more. */
async function patchShards(
  { kube, namespace }: NamespaceAccess,
  name: string,
  { shards, isNamed }: AskedFor,
): Promise<void> {
  const spec = { shardCount: shards.length, shardSlots: isNamed ? [...shards] : null };
  await kube.patch(Databases, { name, namespace }, { type: "merge", body: { spec } });
}
