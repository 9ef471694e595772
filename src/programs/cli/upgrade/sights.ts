import { OPERATOR_NAME } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { Fault } from "#kit/base/fault";
import { block } from "../../../core/planner/findings/finding.ts";
import type { OperatorFacts } from "../../../core/planner/prerequisites/environment.ts";
import { pausedText, unreadyOperatorRemedy } from "../../../core/planner/prerequisites/unready-operator.ts";
import { isOlder } from "../../../core/planner/upgrade-path/state.ts";
import { imageTagOf } from "../../../core/releases/catalogue/images.ts";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { Deployments } from "#kit/kube/builtin";
import { faults } from "../faults.ts";
import type { BdbRecord } from "../../../ports/management/records.ts";
import type { Look as WholeLook } from "../access/look.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import type { Sight } from "./follow.ts";

type Place = Pick<NamespaceAccess, "kube" | "namespace">;
type Look = Pick<WholeLook, "observation" | "databases">;

/** Shows the progress of an operator that is brought to `version`; Kubernetes gives up on an operator whose pods do not become ready. */
export async function operatorSight({ kube, namespace }: Place, version: string, ownBundle: boolean): Promise<Sight> {
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace });
  const image = deployment?.spec?.template.spec?.containers[0]?.image ?? "";
  const {
    observedGeneration = 0,
    updatedReplicas = 0,
    availableReplicas = 0,
    replicas = 0,
    conditions = [],
  } = deployment?.status ?? {};
  const isCurrent = observedGeneration >= (deployment?.metadata.generation ?? 0);
  const isRight = ownBundle || imageTagOf(image) === version;
  const wanted = deployment?.spec?.replicas ?? 1;
  const isDone = isCurrent && isRight && [updatedReplicas, availableReplicas, replicas].every((n) => n === wanted);
  const givenUp = conditions.find(({ type, status }) => type === "Progressing" && status === "False");
  const isPaused = deployment?.spec?.paused === true;
  const blocking = isCurrent && isRight && !isDone ? stopFindings({ image, wanted }, isPaused, givenUp?.message) : [];
  return { done: isDone ? 1 : 0, of: 1, what: `operator ${version} ready`, now: "", isOver: isDone, blocking };
}

async function stayingCluster({ kube, namespace }: Place, name: string) {
  const rec = await kube.get(Clusters, { name, namespace });
  if (rec === undefined) throw new Fault(faults.noCluster, `namespace ${namespace} has no cluster ${name} any more`);
  const gone = rec.metadata.deletionTimestamp;
  if (gone !== undefined) throw new Fault(faults.clusterGoes, `${name} is being deleted since ${gone}`);
  return rec;
}

/** Why no pod of it becomes ready any more, unless a user acts; none while it may. */
function stopFindings(
  operator: Pick<OperatorFacts, "image" | "wanted">,
  isPaused: boolean,
  why: string | undefined,
): readonly Finding[] {
  const paused = isPaused ? { ...operator, paused: "behind" as const } : operator;
  const said =
    pausedText(paused) ?? (why && `deployment/${OPERATOR_NAME} (${operator.image}) does not become ready: ${why}`);
  return said === undefined ? [] : [block("OperatorNotReady", said, unreadyOperatorRemedy(paused))];
}

/** Shows the progress of a cluster on its way to `tag`; CLI_NO_CLUSTER and CLI_CLUSTER_GOES when it is on its way to nowhere. */
export async function clusterSight(place: Place, { observation: { view } }: Look, tag: string): Promise<Sight> {
  const rec = await stayingCluster(place, view.name);
  const { state, version, findings = [], observedGeneration = 0, upgrade, conditions = [] } = rec.status ?? {};
  const isSeen = observedGeneration >= (rec.metadata.generation ?? 0);
  const isOver = isSeen && state === "Running" && version === tag && upgrade?.finishedAt !== undefined;
  const said = conditions.find(({ type }) => type === "Progressing")?.message ?? "";
  const now = isSeen ? said : "the operator has not read this change yet";
  return {
    done: isOver ? view.spec.nodes : upgrade?.to === tag ? upgrade.updatedNodes : 0,
    of: view.spec.nodes,
    what: `nodes at ${tag}`,
    now: isOver ? "" : now,
    isOver,
    blocking: isSeen && state === "InvalidUpgrade" ? findings.filter(({ severity }) => severity === "block") : [],
  };
}

/** Shows the progress of databases on their way to `to`, and the objections of their objects. */
export async function databasesSight({ kube, namespace }: Place, look: Look, to: string): Promise<Sight> {
  const { connection } = look.observation;
  const databases = (await connection?.client.call("bdbs")) ?? [];
  const ready = databases.filter((bdb) => !isOlder(bdb.redis_version, to) && bdb.status === "active");
  // what the cluster has taken up is refused no more, whatever else its object says
  const asked = databases.filter((bdb) => !ready.includes(bdb) && bdb.status !== "active-change-pending");
  const waiting = databases.find(({ waiting_for }) => waiting_for !== "");
  const moving =
    waiting === undefined ? databases.find((bdb) => !ready.includes(bdb) && bdb.shards_count > 1) : undefined;
  return {
    done: ready.length,
    of: databases.length,
    what: `databases at ${to} or later`,
    now:
      waiting === undefined
        ? await shardsText(connection, moving, to)
        : `"${waiting.name}" waits, ${waiting.waiting_for}`,
    isOver: ready.length === databases.length,
    blocking: await refusals(
      { kube, namespace },
      look,
      asked.map(({ name }) => name),
    ),
  };
}

/** How many shards of a database have all that the version asks for; empty for none. */
async function shardsText(
  connection: Look["observation"]["connection"],
  bdb: Pick<BdbRecord, "uid" | "name" | "shards_count"> | undefined,
  to: string,
): Promise<string> {
  if (bdb === undefined || connection === undefined) return "";
  const engines = (await connection.client.call("shards")).filter(({ bdb_uid }) => bdb_uid === bdb.uid);
  const older = engines.filter(({ redis_version }) => isOlder(redis_version, to));
  const behind = new Set(older.map(({ assigned_slots }) => assigned_slots)).size;
  return `"${bdb.name}": ${bdb.shards_count - behind} of ${bdb.shards_count} shards`;
}

/** What blocks these databases by the word of their objects, once the operator has looked at what was asked for. */
async function refusals(
  { kube, namespace }: Place,
  { databases }: Look,
  names: readonly string[],
): Promise<readonly Finding[]> {
  const asked = databases.map(({ metadata }) => metadata.name).filter((name) => names.includes(name));
  const objects = await Promise.all(asked.map((name) => kube.get(Databases, { name, namespace })));
  return objects.flatMap((redb) => {
    const { findings = [], conditions = [] } = redb?.status ?? {};
    const seen = conditions.find(({ type }) => type === "Ready")?.observedGeneration ?? 0;
    return seen < (redb?.metadata.generation ?? 0) ? [] : findings.filter(({ severity }) => severity === "block");
  });
}
