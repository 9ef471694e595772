import assert from "node:assert/strict";
import { test } from "node:test";
import { SHOWN_PRIMARY } from "../../../../test/kit/facts/shown-primary.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { Fault } from "#kit/base/fault";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { faults } from "../../../ports/management/faults.ts";
import type { ActionRecord, BdbRecord, ShardInstanceRecord } from "../../../ports/management/records.ts";
import { pollState, type PollResult, type PolledState } from "./polled-state.ts";

/** A cluster that says what a test lets it say, when the test lets it. */
class Cluster {
  readonly clock = new FakeClock();
  readonly notifications: string[] = [];
  bdbs: readonly BdbRecord[] = [];
  shards: readonly ShardInstanceRecord[] = [];
  actions: readonly ActionRecord[] = [];
  isUnreachable = false;
  questions = 0;
  /** While there is one, answers wait for it. */
  gate: Promise<void> | undefined;
  readonly polledState: PolledState;

  constructor() {
    const client: ManagementClient = {
      call: (route: string) => this.#answer(route),
      close: async () => undefined,
      destroy: async () => undefined,
    };
    this.polledState = pollState(client, this.clock, (databases) =>
      this.notifications.push(databases.toSorted().join(" ")),
    );
  }

  async #answer(route: string): Promise<never> {
    if (route === "nodes") this.questions += 1;
    const { bdbs, shards, actions, isUnreachable } = this; // what is said is what was so when it was asked
    await this.gate;
    if (isUnreachable) throw new Fault(faults.unreachable, "no node answers", { tried: [] });
    const answers: Readonly<Record<string, unknown>> = {
      nodes: [],
      bdbs,
      license: {},
      modules: [],
      actions,
      shards,
    };
    return answers[route] as never;
  }
}

const ages: readonly { name: string; maxAgeMs: number; afterMs: number; questions: number }[] = [
  {
    name: "of the same instant is good enough for a caller that wants the newest",
    maxAgeMs: 0,
    afterMs: 0,
    questions: 1,
  },
  { name: "as old as it may be is good enough", maxAgeMs: 500, afterMs: 500, questions: 1 },
  { name: "older than it may be is asked for anew", maxAgeMs: 500, afterMs: 501, questions: 2 },
  {
    name: "of any age is good enough for a caller that sets no age",
    maxAgeMs: Infinity,
    afterMs: 86_400_000,
    questions: 1,
  },
];

for (const { name, maxAgeMs, afterMs, questions } of ages) {
  test(`an answer ${name}`, async () => {
    const cluster = new Cluster();
    await cluster.polledState.records(0);
    await cluster.clock.advance(afterMs);
    await cluster.polledState.records(maxAgeMs);
    assert.equal(cluster.questions, questions);
  });
}

const meanwhile: readonly { name: string; maxAgeMs: number; questions: number; expected: string }[] = [
  { name: "that was put late enough is shared", maxAgeMs: 100, questions: 1, expected: "pending" },
  { name: "that was put too early is followed by one of its own", maxAgeMs: 99, questions: 2, expected: "active" },
];

for (const { name, maxAgeMs, questions, expected } of meanwhile) {
  test(`a question under way ${name}`, async () => {
    const cluster = new Cluster();
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.gate = promise;
    cluster.bdbs = [bdb("a", { status: "pending" })];
    const first = cluster.polledState.records(0);
    cluster.bdbs = [bdb("a", { status: "active" })];
    await cluster.clock.advance(100);
    const second = cluster.polledState.records(maxAgeMs);
    const third = cluster.polledState.records(maxAgeMs);
    resolve();
    assert.deepEqual(statusesOf(await first), ["a pending"]);
    assert.deepEqual(statusesOf(await second), [`a ${expected}`]);
    assert.equal(await third, await second);
    assert.equal(cluster.questions, questions);
  });
}

test("the answer to a write counts until the database is polled again", async () => {
  const cluster = new Cluster();
  cluster.bdbs = [bdb("a"), bdb("b")];
  await cluster.polledState.records(0);
  cluster.polledState.recordWrite(bdb("a", { status: "active-change-pending" }));
  cluster.polledState.recordWrite(bdb("c", { status: "pending" }));
  const notified = ["a active-change-pending", "b active", "c pending"];
  assert.deepEqual(statusesOf(await cluster.polledState.records(Infinity)), notified);
  await cluster.clock.advance(1);
  assert.deepEqual(statusesOf(await cluster.polledState.records(0)), ["a active", "b active"]);
});

test("an answer to a poll from before a write does not undo the answer to the write", async () => {
  const cluster = new Cluster();
  const { promise, resolve } = Promise.withResolvers<void>();
  cluster.gate = promise;
  const asked = cluster.polledState.records(0);
  await cluster.clock.advance(1);
  cluster.polledState.recordWrite(bdb("a", { status: "pending" }));
  resolve();
  assert.deepEqual(statusesOf(await asked), ["a pending"]);
});

test("a cluster that stops answering is unreachable, and its state is unknown", async () => {
  const cluster = new Cluster();
  cluster.isUnreachable = true;
  cluster.polledState.recordWrite(bdb("a"));
  assert.deepEqual(await cluster.polledState.records(0), { unreachable: "no node has an address yet", refused: false });
});

interface Said {
  readonly bdbs: readonly BdbRecord[];
  readonly shards?: readonly ShardInstanceRecord[];
  readonly actions?: readonly ActionRecord[];
}

const SHARD: ShardInstanceRecord = {
  ...SHOWN_PRIMARY,
  assigned_slots: "0-16383",
  redis_version: "8.2",
  engine: "redis 8.2.2",
  offset: 10,
};
const UPDATE: ActionRecord = {
  action_uid: "u",
  name: "update_bdb",
  status: "running",
  progress: 10,
  object_name: "bdb:1",
};

const notifications: readonly { name: string; before: Said; after: Said; notifies: readonly string[] }[] = [
  {
    name: "a database that is new",
    before: { bdbs: [bdb("a")] },
    after: { bdbs: [bdb("a"), bdb("b")] },
    notifies: ["b"],
  },
  {
    name: "a database that is gone",
    before: { bdbs: [bdb("a"), bdb("b")] },
    after: { bdbs: [bdb("a")] },
    notifies: ["b"],
  },
  {
    name: "another status, and only that database",
    before: { bdbs: [bdb("a"), bdb("b")] },
    after: { bdbs: [bdb("a"), bdb("b", { status: "pending" })] },
    notifies: ["b"],
  },
  {
    name: "a shard that went down",
    before: { bdbs: [bdb("a", { shard_list: [1] })], shards: [SHARD] },
    after: {
      bdbs: [bdb("a", { shard_list: [1] })],
      shards: [{ ...SHARD, status: "inactive", detailed_status: "down" }],
    },
    notifies: ["a"],
  },
  {
    name: "how far its change has come",
    before: { bdbs: [bdb("a", { action_uid: "u" })], actions: [UPDATE] },
    after: { bdbs: [bdb("a", { action_uid: "u" })], actions: [{ ...UPDATE, progress: 60 }] },
    notifies: ["a"],
  },
  {
    name: "not a change that is not its own",
    before: { bdbs: [bdb("a", { action_uid: "other" })], actions: [UPDATE] },
    after: { bdbs: [bdb("a", { action_uid: "other" })], actions: [{ ...UPDATE, progress: 60 }] },
    notifies: [],
  },
  {
    name: "not an offset or a lag, which move with time",
    before: { bdbs: [bdb("a", { shard_list: [1] })], shards: [SHARD] },
    after: { bdbs: [bdb("a", { shard_list: [1] })], shards: [{ ...SHARD, offset: 99, lag_bytes: 7 }] },
    notifies: [],
  },
  {
    name: "not the order",
    before: { bdbs: [bdb("a"), bdb("b")] },
    after: { bdbs: [bdb("b"), bdb("a")] },
    notifies: [],
  },
];

for (const { name, before, after, notifies } of notifications) {
  for (const silent of [false, true]) {
    test(`a change: ${name}${silent ? ", also after an outage" : ""}`, async () => {
      const cluster = new Cluster();
      await say(cluster, before);
      assert.deepEqual(
        cluster.notifications,
        [before.bdbs.map((each) => each.name).join(" ")],
        "the first time all are new",
      );
      if (silent) {
        cluster.isUnreachable = true;
        await say(cluster, { bdbs: [] });
        cluster.isUnreachable = false;
      }
      await say(cluster, after);
      assert.deepEqual(cluster.notifications.slice(1), notifies);
    });
  }
}

async function say(cluster: Cluster, { bdbs, shards = [], actions = [] }: Said): Promise<void> {
  Object.assign(cluster, { bdbs, shards, actions });
  await cluster.clock.advance(1);
  await cluster.polledState.records(0);
}

function statusesOf(polled: PollResult): readonly string[] {
  return "unreachable" in polled
    ? [polled.unreachable]
    : polled.bdbs.map(({ name, status }) => `${name} ${status}`).toSorted();
}

function bdb(name: string, changed: Partial<BdbRecord> = {}): BdbRecord {
  return {
    uid: 1,
    name,
    type: "redis",
    status: "active",
    version: "8.2.2",
    version_display: "8.2 (redis 8.2.2)",
    redis_version: "8.2",
    memory_size: 100e6,
    port: 10_000,
    replication: false,
    data_persistence: "disabled",
    eviction_policy: "volatile-lru",
    shards_count: 1,
    shard_list: [],
    epoch: 1,
    endpoints: [],
    module_list: [],
    waiting_for: "",
    loss_reports: [],
    action_uid: "",
    created_time: "2026-01-01T00:00:00Z",
    last_changed_time: "2026-01-01T00:00:00Z",
    ...changed,
  };
}
