import type { DatabaseRecord, InstanceRecord, ShardRecord, StoreVersion } from "../../../src/core/api/records.ts";
import type { LeaderAct } from "../../../src/core/planner/database/step.ts";
import type { Step } from "../../../src/core/planner/findings/step.ts";
import type { DatabaseFacts, InstanceFacts, NodeFacts } from "../../../src/core/planner/database/facts.ts";
import { settingsWith } from "./settings.ts";

/** A live node with two engines. */
export const node = (uid: number, over: Partial<NodeFacts> = {}): NodeFacts => ({
  uid,
  alive: true,
  goneForMs: 0,
  draining: false,
  engines: ["7.2", "8.0"],
  tlsEngines: ["7.2", "8.0"],
  memoryBytes: 1e9,
  keepsInSync: true,
  startsAnew: true,
  pod: `rec-${uid - 1}`,
  ...over,
});
/** An instance on a node. */
export const on = (id: number, nodeUid: number, storeVersion: StoreVersion = "7.2"): InstanceRecord => ({
  id,
  node: nodeUid,
  port: 20_000 + id,
  storeVersion,
  launch: id === 1 ? 1 : 0,
});
/** A replica in sync. */
export const serving: InstanceFacts = {
  state: "serving",
  role: "replica",
  offset: 100,
  lagBytes: 0,
  streaming: true,
  hasData: true,
  configured: true,
  follows: "the primary",
};
export const primary: InstanceFacts = { ...serving, role: "primary" };
export const silence: InstanceFacts = {
  state: "silent",
  offset: -1,
  lagBytes: -1,
  streaming: false,
  hasData: false,
  configured: false,
};
/** A primary that has run a script for so long. */
export const busyFor = (seconds: number): InstanceFacts => ({
  ...silence,
  state: "busy",
  script: { client: "10.0.0.7:51234", command: "EVAL", ageMs: seconds * 1000 },
});
export const dead: InstanceFacts = { ...silence, state: "dead" };
export const behind: InstanceFacts = { ...serving, lagBytes: 1_000_000 };
/** An upgrade to 8.0 that is under way. */
export const toVersion8: Partial<DatabaseRecord> = {
  status: "active-change-pending",
  upgrade: { target: "8.0", actionUid: "a", startedAt: "t", mayDiscardData: false, waitingFor: "" },
};

/** A database in few words; what is not said is healthy. */
export interface Scene {
  readonly instances: readonly InstanceRecord[];
  /** Of the instances that are not healthy. */
  readonly but?: Readonly<Record<number, InstanceFacts>>;
  readonly nodes?: readonly NodeFacts[];
  readonly record?: Partial<DatabaseRecord>;
  readonly shard?: Partial<ShardRecord>;
  readonly verified?: readonly number[];
  readonly overlapIsOver?: boolean;
  readonly engineLogin?: DatabaseFacts["engineLogin"];
  readonly rotation?: NonNullable<DatabaseFacts["rotation"]>;
}

export function factsOf({
  instances,
  but = {},
  nodes = [],
  record = {},
  shard = {},
  verified = [],
  overlapIsOver = false,
  engineLogin = "cluster",
  rotation,
}: Scene): DatabaseFacts {
  const one: ShardRecord = { id: 1, epoch: 1, primary: 1, instances, ...shard };
  const all: DatabaseRecord = {
    uid: 1,
    name: "orders",
    ...settingsWith({ replication: true, evictionPolicy: "noeviction" }),
    port: 10_000,
    storeVersion: "7.2",
    status: "active",
    shards: [one],
    nextInstance: 9,
    lossReports: [],
    createdTime: "t",
    lastChangedTime: "t",
    ...record,
  };
  const healthy = instances.map(({ id }) => [id, but[id] ?? (id === one.primary ? primary : serving)] as const);
  const given = new Map(nodes.map((each) => [each.uid, each]));
  return {
    record: all,
    nodes: [1, 2, 3].map((uid) => given.get(uid) ?? node(uid)),
    instances: new Map(healthy),
    verified: new Set(verified),
    overlapIsOver,
    engineLogin,
    ...(rotation === undefined ? {} : { rotation }),
    everything: instances.map(({ id, node: uid, port }) => ({
      node: uid,
      port,
      memoryBytes: 1e8,
      diskBytes: 1e8,
      primary: id === 1,
    })),
  };
}

/** A step in a few words. */
export function brief(decided: Step<LeaderAct>): string {
  const step = decided.kind === "act" ? decided.act : decided;
  switch (step.kind) {
    case "switch-over":
    case "fail-over":
      return `${step.kind} to ${step.to}`;
    case "add-replica":
      return `add ${step.storeVersion} on node ${step.node}`;
    case "retire":
    case "relaunch":
    case "start-empty":
      return `${step.kind} ${step.instance}`;
    case "verify":
    case "reattach":
      return `${step.kind} ${step.replica}`;
    case "wait":
      return `${step.kind}: ${step.wait.evidence}`;
    case "creation-failed":
      return `${step.kind}: ${step.reason}`;
    case "ask-consent":
      return `${step.kind}: ${step.lacks}`;
    default:
      return step.kind;
  }
}
