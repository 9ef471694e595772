import { clusterSpec } from "../../../src/core/api/cluster-spec.ts";
import type {
  ClusterDatabase,
  PolledCluster,
  ClusterNode,
  ClusterView,
  NodePod,
} from "../../../src/core/planner/view/cluster-view.ts";
import type { Volume } from "../../../src/core/planner/prerequisites/environment.ts";
import { releaseByOperator } from "../../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";

/** A release of the catalogue; throws on a version that is not in it. */
export function release(operator: string): Release {
  const found = releaseByOperator(operator);
  if (found === undefined) throw new Error(`${operator} is not in the catalogue`);
  return found;
}

export const OLD = release("8.0.6-8");
export const NEW = release("8.2.0-12");

/** A cluster "rec" of three healthy nodes at 8.0.6-8 with an operator of the same release, all in service. */
export function clusterView(change: Partial<ClusterView> = {}): ClusterView {
  return reporting({
    name: "rec",
    generation: 1,
    deleting: false,
    spec: clusterSpec.parse({}),
    remembered: { version: OLD.nodeTag, imageTag: OLD.nodeTag, state: "Running" },
    release: OLD,
    kubernetesMinor: "1.34",
    workload: {
      template: `template of ${OLD.nodeTag}`,
      image: `storeenterprise/node:${OLD.nodeTag}`,
      nodeTag: OLD.nodeTag,
      replicas: 3,
      partition: 3,
      updateRevision: OLD.nodeTag,
      currentRevision: OLD.nodeTag,
      writing: "sts/1",
      observed: true,
      volumes: { size: "20Gi", storageClassName: undefined },
      presence: "there",
    },
    pods: [pod(0), pod(1), pod(2)],
    cluster: facts(),
    databasesLeft: [{ name: "db", deleting: false }],
    ...change,
  });
}

/** Tag of a node that reports what its pod is made from. */
const AS_MADE = "as its pod";

/** Nodes without a tag of their own report that of their pod. */
function reporting(view: ClusterView): ClusterView {
  if (!view.cluster.reachable) return view;
  const tagOf = (uid: number): string =>
    view.pods.find(({ ordinal }) => ordinal === uid - 1)?.nodeTag ?? view.workload?.nodeTag ?? OLD.nodeTag;
  const nodes = view.cluster.nodes.map((one) => (one.tag === AS_MADE ? { ...one, tag: tagOf(one.uid) } : one));
  return { ...view, cluster: { ...view.cluster, nodes } };
}

/** The spec of a cluster whose user asks for `tag`. */
export function asking(tag: string, more: object = {}): ClusterView["spec"] {
  return clusterSpec.parse({ storeEnterpriseImageSpec: { versionTag: tag }, ...more });
}

export function pod(ordinal: number, change: Partial<NodePod> = {}): NodePod {
  return {
    ordinal,
    id: `pod ${ordinal}`,
    revision: OLD.nodeTag,
    nodeTag: OLD.nodeTag,
    digest: "",
    deleting: false,
    containerReady: true,
    inService: true,
    trouble: "",
    unschedulable: false,
    orphaned: false,
    ...change,
  };
}

export function node(uid: number, change: Partial<ClusterNode> = {}): ClusterNode {
  return {
    uid,
    active: true,
    maintenance: false,
    acceptsClients: true,
    leader: uid === 1,
    tag: AS_MADE,
    engines: [],
    memoryBytes: 4_000_000_000,
    capabilities: [],
    setAside: [],
    ...change,
  };
}

export function database(change: Partial<ClusterDatabase> = {}): ClusterDatabase {
  return {
    uid: 1,
    name: "db",
    status: "active",
    storeVersion: "7.2",
    replication: true,
    persistence: "aofEverySecond",
    memoryBytes: 100_000_000,
    modules: [],
    askedModules: [],
    upgradePolicy: "latest",
    tlsMode: "disabled",
    waitingFor: "",
    needsConsent: false,
    instances: [
      { node: 3, primary: true, inSync: true },
      { node: 2, primary: false, inSync: true },
    ],
    ...change,
  };
}

export function facts(change: Partial<PolledCluster> = {}): PolledCluster {
  return {
    reachable: true,
    nodes: [node(1), node(2), node(3)],
    databases: [database()],
    license: { state: "Valid", reason: "", expirationDate: "2026-12-31T00:00:00Z" },
    modules: [],
    actions: [],
    ...change,
  };
}

/** A cluster that was asked for the newest release, with the operator of that release. */
export const upgrading: Partial<ClusterView> = { release: NEW, spec: asking(NEW.nodeTag) };

/** A volume of the size that the cluster asks for. */
export function volume(change: Partial<Volume> = {}): Volume {
  return {
    name: "data-rec-0",
    phase: "Bound",
    resizing: false,
    requested: "20Gi",
    capacity: "20Gi",
    problem: "",
    refusal: undefined,
    ...change,
  };
}
