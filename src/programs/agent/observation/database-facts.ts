import { everyShard } from "../../../core/api/every-shard.ts";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import type { DatabaseFacts, InstanceFacts, NodeFacts } from "../../../core/planner/database/facts.ts";
import type { Clock } from "#kit/base/clock";
import { nodeAddress } from "../members/addresses.ts";
import type { Members } from "../members/members.ts";
import type { Peers } from "../members/peers.ts";
import { placedInstances } from "../../../core/records/placed-instances.ts";
import type { Records } from "../records/records.ts";
import { askAgent } from "./agent-report.ts";
import type { AgentReportContext } from "./agent-report.ts";
import { observeEngines } from "./engine-answers.ts";
import { gatherEngineLogin } from "./engine-login-state.ts";
import { gatherEngineRotation } from "./engine-rotation-state.ts";
import type { EngineRotationContext } from "./engine-rotation-state.ts";
import type { EngineAnswers, EnginesContext } from "./engine-answers.ts";
import type { EngineAnswer } from "./engine-watch.ts";
import { instanceFacts } from "./instance-facts.ts";
import type { CountersContext } from "./measurements.ts";
import { gatherNodes } from "./node-facts.ts";
import type { NodeFactsContext } from "./node-facts.ts";
import { gatherReshape, type ReshapeContext } from "./mover-facts.ts";
import { runningScript } from "./running-script.ts";

/** What the facts about a database are gathered from. */
export type DatabaseFactsContext = EnginesContext &
  AgentReportContext &
  CountersContext &
  NodeFactsContext &
  EngineRotationContext &
  ReshapeContext & {
    readonly records: Pick<Records, "databases">;
    readonly members: Pick<Members, "get" | "list">;
    readonly peers: Pick<Peers, "answers" | "localInstances" | "proxy" | "mover">;
    readonly clock: Clock;
  };

/** Gathers what a decision about a database rests on. */
export async function gatherFacts(
  context: DatabaseFactsContext,
  record: DatabaseRecord,
  verified: ReadonlySet<number>,
): Promise<DatabaseFacts> {
  const [nodes, answers, engineLogin, rotation] = await Promise.all([
    gatherNodes(context),
    observeEngines(context, record),
    gatherEngineLogin(context, record),
    gatherEngineRotation(context, record),
  ]);
  const instances = await gatherInstances(context, record, nodes, answers);
  const reshape = await gatherReshape(context, record, answers);
  const overlapUntil = record.passwords?.overlapUntil;
  const overlapIsOver = overlapUntil !== undefined && overlapUntil <= context.clock.now().toISOString();
  const everything = placedInstances(context.records.databases());
  const lettingIn = await gatherLettingIn(context, record, instances);
  const logins = { overlapIsOver, engineLogin, ...(rotation === undefined ? {} : { rotation }) };
  const moving = reshape === undefined ? {} : { reshape };
  return { record, nodes, instances, verified, ...logins, ...lettingIn, ...moving, everything };
}

/** A proxy that has not read the record yet has so long to do it, in milliseconds. */
const CLOSED_MS = 500;

/** Only while the primary may have to begin without data does it matter what proxies do. */
async function gatherLettingIn(
  { confirm }: DatabaseFactsContext,
  { uid, shards, awaitsSites }: DatabaseRecord,
  instances: ReadonlyMap<number, InstanceFacts>,
): Promise<Pick<DatabaseFacts, "lettingIn">> {
  const isDead = shards.some(({ primary }) => instances.get(primary)?.state === "dead");
  if (awaitsSites !== true || !isDead) return {};
  return { lettingIn: await confirm({ op: "closed", bdb: uid, withinMs: CLOSED_MS }) };
}

async function gatherInstances(
  context: DatabaseFactsContext,
  record: DatabaseRecord,
  nodes: readonly NodeFacts[],
  answers: EngineAnswers,
): Promise<ReadonlyMap<number, InstanceFacts>> {
  const addressOf = (node: number): string | undefined => nodeAddress(context, node);
  const isAway = (node: number): boolean => nodes.find(({ uid }) => uid === node)?.alive === false;
  const isGone = (node: number): boolean => isAway(node) && context.members.get(node)?.mayAcknowledge === false;
  const entries = everyShard(record).flatMap((shard) =>
    shard.instances.map(async (instance) => {
      const { id, node } = instance;
      const isKnown = servesItsRole(answers.get(id), id === shard.primary);
      // a node that is away did not answer a moment ago
      const report =
        isKnown || isAway(node) ? undefined : await askAgent(context, node, { bdb: record.uid, instance: id });
      const script = await runningScript(context, record.uid, answers.get(id));
      const observed = { answers, addressOf, report, script, nodeIsGone: isGone(node) };
      return [id, instanceFacts(record, shard, instance, observed)] as const;
    }),
  );
  return new Map(await Promise.all(entries));
}

/** It serves, and not as a replica where it is the primary of its record. */
function servesItsRole(answer: EngineAnswer | undefined, isPrimary: boolean): boolean {
  return answer?.state === "serving" && !(isPrimary && answer.replication.role === "replica");
}
