import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../core/api/records.ts";
import { ofShard } from "../../../core/records/settings-of-shard.ts";
import { reportsSettings } from "../../../core/api/settings/effects.ts";
import { primaryOf } from "../../../core/planner/database/facts.ts";
import type { InstanceFacts } from "../../../core/planner/database/facts.ts";
import { upstreamOf, type UpstreamPlace } from "../../../core/planner/database/upstream.ts";
import type { WaitingRequest } from "../../../core/planner/database/waiting-requests.ts";
import type { LocalInstance } from "../../../ports/management/records.ts";
import type { Info } from "../../../ports/resp/info.ts";
import type { AgentReport } from "./agent-report.ts";
import type { EngineAnswers } from "./engine-answers.ts";
import type { EngineAnswer } from "./engine-watch.ts";

/** What the facts of an instance follow from. */
export interface Observed {
  readonly answers: EngineAnswers;
  /** Address of a node; undefined while it has never reported. */
  readonly addressOf: (node: number) => string | undefined;
  /** What the agent of its node reports; needed only for an engine that does not serve, or is a replica and the primary of its record. */
  readonly report: AgentReport | undefined;
  /** The script that keeps it from answering; undefined while it answers. */
  readonly script: WaitingRequest | undefined;
  /** The node can acknowledge nothing, and its agent does not answer. */
  readonly nodeIsGone: boolean;
}

/** The facts about one instance. */
export function instanceFacts(
  record: DatabaseRecord,
  shard: ShardRecord,
  instance: InstanceRecord,
  observed: Observed,
): InstanceFacts {
  const { answers, addressOf } = observed;
  const answer = answers.get(instance.id) ?? { state: "silent", why: "not asked" };
  if (answer.state !== "serving") return factsWithoutAnswer(answer.state, observed);
  return {
    state: "serving",
    role: answer.replication.role,
    ...replicationProgress(shard, instance, answers, addressOf),
    ...followsFact(upstreamOf(record, shard, instance), answer.replication.link, addressOf),
    hasData: answer.hasData,
    ...(answer.replication.link?.status === "down" ? { drained: true } : {}),
    ...(instance.id !== shard.primary && !answer.hasData && holdsKeys(answer.info) ? { kept: true } : {}),
    configured: reportsSettings(ofShard(record, shard), answer.info),
    ...(instance.id === shard.primary && answer.replication.role === "replica" ? launchFact(observed) : {}),
  };
}

function launchFact({ report }: Observed): Pick<InstanceFacts, "usedLaunch"> {
  const local = report?.kind === "reported" ? report.instance : undefined;
  return local === undefined ? {} : { usedLaunch: local.launch };
}

/** The facts about an instance that does not serve. */
function factsWithoutAnswer(
  state: Exclude<EngineAnswer["state"], "serving">,
  { report, script, nodeIsGone }: Observed,
): InstanceFacts {
  const nothing = { offset: -1, lagBytes: -1, streaming: false, hasData: false, configured: false };
  const local = report?.kind === "reported" ? report.instance : undefined;
  // only a crashed instance has used its launch up; one that is starting or ending may be about to write it
  const used = local?.state === "crashed" ? crashOf(local) : local?.state === "starting" ? failuresOf(local) : {};
  // a port that refuses proves nothing of a node whose agent is silent: what answers there may be the network
  const cutOff = report?.kind !== "reported" && nodeIsGone ? ({ cutOff: true } as const) : {};
  const running = state === "busy" && script !== undefined ? { script } : {};
  return { ...nothing, ...used, ...cutOff, ...running, state: stateOf(state, report, nodeIsGone) };
}

/** INFO has a line for each numbered database that is not empty. */
function holdsKeys(info: Info): boolean {
  return info.entries().some(([field]) => /^db\d+$/.test(field));
}

/** A node of release 0.1.0 reports neither a lost directory nor last words. */
function crashOf(crashed: LocalInstance): Partial<InstanceFacts> {
  const { launch, clean, lost, offset } = crashed;
  return {
    ...failuresOf(crashed),
    ...(offset === undefined ? {} : { lastOffset: offset }),
    usedLaunch: launch,
    endedCleanly: clean === true,
    ...(lost === true ? { lostData: true } : {}),
  };
}

/** The next start of an engine that ended before it served takes nothing of that back. */
function failuresOf({ last_words: lastWords, failed_starts: failedStarts }: LocalInstance): Partial<InstanceFacts> {
  return {
    ...(failedStarts === undefined ? {} : { failedStarts }),
    ...(lastWords === undefined || lastWords === "" ? {} : { lastWords }),
  };
}

/**
 * Offset, distance to the primary and whether the stream flows; for a primary the distance is 0. The stream is known to flow
 * once it has brought something: a primary that misses the first acknowledgement reports "online" and sends nothing until
 * the next one.
 */
export function replicationProgress(
  shard: ShardRecord,
  instance: InstanceRecord,
  answers: EngineAnswers,
  addressOf: (node: number) => string | undefined,
): { readonly offset: number; readonly lagBytes: number; readonly streaming: boolean } {
  const own = answers.get(instance.id);
  const primary = primaryOf(shard);
  const upstream = answers.get(primary.id);
  if (own?.state !== "serving") return { offset: -1, lagBytes: -1, streaming: false };
  const { offset, link } = own.replication;
  if (instance.id === shard.primary) return { offset, lagBytes: 0, streaming: own.replication.role === "primary" };
  if (upstream?.state !== "serving" || link === undefined) return { offset, lagBytes: -1, streaming: false };
  const followsIt = link.status === "up" && link.host === addressOf(primary.node) && link.port === primary.port;
  const isFed = upstream.replication.replicas.some(
    ({ host, port, state }) => state === "online" && host === addressOf(instance.node) && port === instance.port,
  );
  const lagBytes = followsIt ? Math.max(0, upstream.replication.offset - offset) : -1;
  return { offset, lagBytes, streaming: followsIt && isFed && link.receivedBytes > 0 };
}

/** Whether a replica is set to follow what it shall; nothing for a primary. */
function followsFact(
  upstream: UpstreamPlace | undefined,
  link: { readonly host: string; readonly port: number } | undefined,
  addressOf: (node: number) => string | undefined,
): Pick<InstanceFacts, "follows"> {
  if (upstream === undefined) return {};
  const { node, port } = upstream;
  return { follows: link?.host === addressOf(node) && link?.port === port ? "the primary" : "another" };
}

function stateOf(
  answer: Exclude<EngineAnswer["state"], "serving">,
  report: AgentReport | undefined,
  nodeIsGone: boolean,
): InstanceFacts["state"] {
  const reported = report?.kind === "reported" ? (report.instance?.state ?? "stopped") : undefined;
  switch (answer) {
    case "loading":
    case "busy":
      return answer;
    case "refused":
      if (reported === undefined) return nodeIsGone ? "dead" : "silent";
      return reported === "crashed" || reported === "serving" ? "dead" : "loading";
    case "silent":
      return nodeIsGone || reported === "crashed" ? "dead" : "silent";
  }
}
