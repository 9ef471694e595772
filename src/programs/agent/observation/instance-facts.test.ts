import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShardRecord } from "../../../core/api/records.ts";
import type { ReplicationView } from "../../../ports/resp/info.ts";
import { factsOf } from "../../../../test/kit/facts/database-scene.ts";
import type { InstanceFacts } from "../../../core/planner/database/facts.ts";
import type { LocalInstance } from "../../../ports/management/records.ts";
import type { AgentReport } from "./agent-report.ts";
import type { EngineAnswer } from "./engine-watch.ts";
import { instanceFacts, replicationProgress } from "./instance-facts.ts";

const PRIMARY = { id: 1, node: 1, port: 20_001, storeVersion: "7.2", launch: 1 } as const;
const REPLICA = { id: 2, node: 2, port: 20_002, storeVersion: "7.2", launch: 0 } as const;
const shard: ShardRecord = { id: 1, epoch: 1, primary: 1, instances: [PRIMARY, REPLICA] };
const hosts = (node: number): string => `10.0.0.${node}`;

const fed = { host: "10.0.0.2", port: 20_002, state: "online", offset: 900, lagSeconds: 0 };
const link = { status: "up", host: "10.0.0.1", port: 20_001, syncing: false, receivedBytes: 100 } as const;

interface Case {
  readonly rule: string;
  readonly primary?: Partial<ReplicationView>;
  readonly replica?: Partial<ReplicationView>;
  readonly streaming: boolean;
  readonly lagBytes?: number;
}

const cases: readonly Case[] = [
  { rule: "a replica that has received something and that its primary feeds is in the stream", streaming: true },
  {
    rule: "one that has its data and nothing since is not: its primary reports online before it sends anything",
    replica: { link: { ...link, receivedBytes: 0 } },
    streaming: false,
  },
  {
    rule: "one that its primary is still giving the data is not",
    primary: { replicas: [{ ...fed, state: "wait_bgsave" }] },
    streaming: false,
  },
  { rule: "one that its primary does not know is not", primary: { replicas: [] }, streaming: false },
  {
    rule: "one that follows another engine is not, and its distance is unknown",
    replica: { link: { ...link, host: "10.0.0.9" } },
    streaming: false,
    lagBytes: -1,
  },
  {
    rule: "one whose link is down is not",
    replica: { link: { ...link, status: "down" } },
    streaming: false,
    lagBytes: -1,
  },
];

for (const { rule, primary, replica, streaming, lagBytes = 100 } of cases) {
  test(rule, () => {
    const answers = new Map([
      [1, serving({ role: "primary", replicationId: "a", offset: 1_000, replicas: [fed], ...primary })],
      [2, serving({ role: "replica", replicationId: "a", offset: 900, replicas: [], link, ...replica })],
    ]);
    assert.deepEqual(replicationProgress(shard, REPLICA, answers, hosts), { offset: 900, lagBytes, streaming });
  });
}

function serving(replication: ReplicationView): EngineAnswer {
  return {
    state: "serving",
    engine: { family: "redis", version: "7.0.15" },
    replication,
    hasData: true,
    info: new Map(),
    configFile: "",
    modules: [],
  };
}

const ends: readonly {
  readonly rule: string;
  readonly answer: "refused" | "silent";
  readonly report: AgentReport | undefined;
  readonly gone: boolean;
  readonly want: Pick<InstanceFacts, "state" | "cutOff">;
}[] = [
  {
    rule: "a port that refuses is no proof of death while the agent of its node is silent",
    answer: "refused",
    report: { kind: "no-answer" },
    gone: false,
    want: { state: "silent" },
  },
  {
    rule: "a port that refuses on a node that can acknowledge nothing is cut off, and is fenced first",
    answer: "refused",
    report: undefined,
    gone: true,
    want: { state: "dead", cutOff: true },
  },
  {
    rule: "a port that refuses has ended when the agent of its node says so",
    answer: "refused",
    report: { kind: "reported", instance: local("crashed") },
    gone: false,
    want: { state: "dead" },
  },
  {
    rule: "an engine that was seen to serve and refuses has just ended",
    answer: "refused",
    report: { kind: "reported", instance: local("serving") },
    gone: false,
    want: { state: "dead" },
  },
  {
    rule: "an engine that its agent is starting is on its way",
    answer: "refused",
    report: { kind: "reported", instance: local("starting") },
    gone: false,
    want: { state: "loading" },
  },
  {
    rule: "an engine that does not answer, on a node that can acknowledge nothing, is cut off",
    answer: "silent",
    report: undefined,
    gone: true,
    want: { state: "dead", cutOff: true },
  },
];

for (const { rule, answer, report, gone, want } of ends) {
  test(rule, () => {
    const answers = new Map([[1, answer === "refused" ? { state: answer } : { state: answer, why: "" }]]);
    const { record } = factsOf({ instances: [PRIMARY, REPLICA] });
    const seen = instanceFacts(record, shard, PRIMARY, {
      answers,
      addressOf: hosts,
      report,
      script: undefined,
      nodeIsGone: gone,
    });
    const { state, cutOff } = seen;
    assert.deepEqual({ state, ...(cutOff && { cutOff }) }, want);
  });
}

function local(state: LocalInstance["state"]): LocalInstance {
  return { bdb: 1, instance: 1, state, pid: 0, restarts: 0, launch: 1 };
}
