import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { reportsSettings } from "../../../core/api/settings/effects.ts";
import { primaryOf, replicasOf } from "../../../core/planner/database/facts.ts";
import type { InstanceFacts } from "../../../core/planner/database/facts.ts";
import type { LocalInstance } from "../../../ports/management/routes.ts";
import type { EngineAddress } from "../../../ports/resp/engine-client.ts";
import { instanceFiles } from "../../../mechanisms/supervisor/instance-files.ts";
import type { EngineAnswer, EngineWatch } from "./engine-watch.ts";

/** What one look at the engines of a database has shown, by instance id. */
export type Answers = ReadonlyMap<number, EngineAnswer>;

/** What the agent of a node says of an instance; `silent` when the agent does not answer. */
export type NodeWord =
  { readonly kind: "told"; readonly instance: LocalInstance | undefined } | { readonly kind: "silent" };

/**
 * Asks every engine of the database. The primary is asked before its replicas: a replica whose offset has reached the
 * primary's then surely holds everything up to that moment.
 */
export async function askEngines(
  record: DatabaseRecord,
  watch: EngineWatch,
  addressOf: (instance: InstanceRecord) => EngineAddress | undefined,
): Promise<Answers> {
  const answers = new Map<number, EngineAnswer>();
  const ask = async (instance: InstanceRecord): Promise<void> => {
    const address = addressOf(instance);
    const answer: EngineAnswer =
      address === undefined
        ? { state: "silent", why: `node ${instance.node} has no address` }
        : await watch.ask(address);
    answers.set(instance.id, isAnother(answer, record, instance) ? { state: "refused" } : answer);
  };
  for (const shard of record.shards) {
    await ask(primaryOf(shard));
    await Promise.all(replicasOf(shard).map(ask));
  }
  return answers;
}

/** An engine that listens at the instance's address and is not the instance: it must not be taken for it. */
function isAnother(answer: EngineAnswer, { uid }: DatabaseRecord, { id }: InstanceRecord): boolean {
  return answer.state === "serving" && !answer.configFile.endsWith(instanceFiles("/", uid, id).configFile);
}

/** The facts about one instance; `word` is needed only for an engine that does not serve. */
export function instanceFacts(
  record: DatabaseRecord,
  shard: ShardRecord,
  instance: InstanceRecord,
  answers: Answers,
  hosts: (node: number) => string | undefined,
  word: NodeWord | undefined,
  nodeIsGone: boolean,
): InstanceFacts {
  const answer = answers.get(instance.id) ?? { state: "silent", why: "not asked" };
  const nothing = { offset: -1, lagBytes: -1, streaming: false, hasData: false, configured: false };
  if (answer.state !== "serving") {
    const local = word?.kind === "told" ? word.instance : undefined;
    // only a crashed instance has used its launch for good; one on its way up or down may be about to write it
    const used = local?.state === "crashed" ? { usedLaunch: local.launch, endedCleanly: local.clean === true } : {};
    const cutOff = answer.state === "silent" && nodeIsGone ? ({ cutOff: true } as const) : {};
    return { ...nothing, ...used, ...cutOff, state: stateOf(answer.state, word, nodeIsGone) };
  }
  return {
    state: "serving",
    role: answer.replication.role,
    ...standing(shard, instance, answers, hosts),
    ...followed(shard, instance, answer.replication.link, hosts),
    hasData: answer.hasData,
    configured: reportsSettings(record, answer.info),
  };
}

/**
 * Offset, distance to the primary and whether the stream flows; for a primary the distance is 0. That it flows is known once
 * something has come by it: a primary that misses the first acknowledgement says "online" and sends nothing until the next one.
 */
export function standing(
  shard: ShardRecord,
  instance: InstanceRecord,
  answers: Answers,
  hosts: (node: number) => string | undefined,
): { readonly offset: number; readonly lagBytes: number; readonly streaming: boolean } {
  const mine = answers.get(instance.id);
  const primary = primaryOf(shard);
  const its = answers.get(primary.id);
  if (mine?.state !== "serving") return { offset: -1, lagBytes: -1, streaming: false };
  const { offset, link } = mine.replication;
  if (instance.id === shard.primary) return { offset, lagBytes: 0, streaming: mine.replication.role === "primary" };
  if (its?.state !== "serving" || link === undefined) return { offset, lagBytes: -1, streaming: false };
  const followsIt = link.status === "up" && link.host === hosts(primary.node) && link.port === primary.port;
  const isFed = its.replication.replicas.some(
    ({ host, port, state }) => state === "online" && host === hosts(instance.node) && port === instance.port,
  );
  const lagBytes = followsIt ? Math.max(0, its.replication.offset - offset) : -1;
  return { offset, lagBytes, streaming: followsIt && isFed && link.receivedBytes > 0 };
}

/** Whom a replica was told to follow; nothing for the primary itself. */
function followed(
  shard: ShardRecord,
  instance: InstanceRecord,
  link: { readonly host: string; readonly port: number } | undefined,
  hosts: (node: number) => string | undefined,
): Pick<InstanceFacts, "follows"> {
  if (instance.id === shard.primary) return {};
  const { node, port } = primaryOf(shard);
  return { follows: link?.host === hosts(node) && link?.port === port ? "the primary" : "another" };
}

function stateOf(
  answer: Exclude<EngineAnswer["state"], "serving">,
  word: NodeWord | undefined,
  nodeIsGone: boolean,
): InstanceFacts["state"] {
  const told = word?.kind === "told" ? (word.instance?.state ?? "stopped") : undefined;
  switch (answer) {
    case "loading":
      return "loading";
    case "refused":
      return told === undefined || told === "crashed" || told === "serving" ? "dead" : "loading";
    case "silent":
      return nodeIsGone || told === "crashed" ? "dead" : "silent";
  }
}
