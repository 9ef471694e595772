import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf } from "../../../../../test/kit/facts/database-scene.ts";
import type { ShardRecord } from "../../../../core/api/records.ts";
import type { EngineAnswer } from "../../observation/engine-watch.ts";
import { shardViews } from "./shard-view.ts";

const INSTANCES = [1, 2].map((id) => ({ id, node: id, port: 20_000 + id, storeVersion: "7.2" as const, launch: 0 }));
const link = { status: "up", host: "10.0.0.1", port: 20_001, syncing: false, receivedBytes: 9 };
const fed = { host: "10.0.0.2", port: 20_002, state: "online", offset: 900, lagSeconds: 0 };

const addressOf = (node: number): string => `10.0.0.${node}`;

const cases: readonly { rule: string; inSync?: ShardRecord["inSync"]; keeps?: boolean; want: boolean }[] = [
  { rule: "a replica in the set of this epoch is in sync", inSync: { epoch: 2, members: [2] }, want: true },
  { rule: "one that has caught up and is not in the set is not", inSync: { epoch: 2, members: [] }, want: false },
  { rule: "one is while there is no set of this epoch", inSync: { epoch: 1, members: [] }, want: true },
  {
    rule: "where the node of the primary keeps no set, the distance alone counts",
    inSync: { epoch: 2, members: [] },
    keeps: false,
    want: true,
  },
];

for (const { rule, inSync, keeps = true, want } of cases) {
  test(rule, () => {
    const shard = { epoch: 2, ...(inSync === undefined ? {} : { inSync }) };
    const { record } = factsOf({ instances: INSTANCES, shard });
    const answers = new Map([
      [1, serving({ role: "primary", replicationId: "a", offset: 1_000, replicas: [fed] })],
      [2, serving({ role: "replica", replicationId: "a", offset: 900, replicas: [], link })],
    ]);
    const nodes = [1, 2].map((uid) => ({ uid, keepsInSync: keeps }));
    const views = shardViews(record, { answers, nodes, addressOf, reports: new Map() });
    assert.deepEqual(
      views.map(({ in_sync }) => in_sync),
      [true, want],
    );
  });
}

test("an engine that has ended before it served shows how often and with which words, until it serves", () => {
  const { record } = factsOf({ instances: INSTANCES });
  const primary = serving({ role: "primary", replicationId: "a", offset: 1_000, replicas: [] });
  const replica = serving({ role: "replica", replicationId: "a", offset: 900, replicas: [], link });
  const report = { bdb: 1, instance: 2, state: "starting", pid: 0, restarts: 4, launch: 0 } as const;
  const reports = new Map([[2, { ...report, failed_starts: 4, last_words: "no such module" }]]);
  const shown = (answer: EngineAnswer): unknown =>
    shardViews(record, {
      answers: new Map([
        [1, primary],
        [2, answer],
      ]),
      nodes: [],
      addressOf,
      reports,
    }).map(({ failed_starts, last_words }) => [failed_starts, last_words]);
  assert.deepEqual(shown({ state: "refused" }), [
    [undefined, undefined],
    [4, "no such module"],
  ]);
  assert.deepEqual(shown(replica), [
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test("an engine that crashes again and again shows it also while it serves", () => {
  const { record } = factsOf({ instances: INSTANCES });
  const report = { bdb: 1, instance: 1, state: "serving", pid: 7, restarts: 4, launch: 0 } as const;
  const crashes = { crashes: 4, ended_by: "SIGSEGV", failed_starts: 0, last_words: "a stack trace" };
  const [first] = shardViews(record, {
    answers: new Map([[1, serving({ role: "primary", replicationId: "a", offset: 1_000, replicas: [] })]]),
    nodes: [],
    addressOf,
    reports: new Map([[1, { ...report, ...crashes }]]),
  });
  assert.deepEqual(
    [first?.failed_starts, first?.crashes, first?.ended_by, first?.last_words],
    [undefined, 4, "SIGSEGV", "a stack trace"],
  );
});

function serving(replication: unknown): EngineAnswer {
  return JSON.parse(JSON.stringify({ state: "serving", engine: { name: "redis", version: "7.0.15" }, replication }));
}
