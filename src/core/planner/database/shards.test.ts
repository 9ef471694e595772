import assert from "node:assert/strict";
import { test } from "node:test";
import { behind, brief, dead, factsOf, on, primary, serving } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";
import type { InstanceFacts } from "./facts.ts";

/** Primaries are the instances 1 and 3, their replicas 2 and 4. */
const cases: readonly {
  readonly rule: string;
  readonly but: Readonly<Record<number, InstanceFacts>>;
  readonly want: string;
}[] = [
  { rule: "two shards that lack nothing rest", but: {}, want: "rest" },
  {
    rule: "a shard that waits for its replica keeps no other from failing over",
    but: { 2: behind, 3: dead },
    want: "fail-over to 4",
  },
  {
    rule: "an act for the data of a later shard comes before a repair of an earlier one",
    but: { 2: { ...serving, follows: "another" }, 3: dead },
    want: "fail-over to 4",
  },
  {
    rule: "of two acts of the same urgency the first shard has the first",
    but: { 1: dead, 3: dead },
    want: "fail-over to 2",
  },
  {
    rule: "shards that wait for different things are waited for in one sentence",
    but: { 2: behind, 4: { ...behind, lagBytes: 2_000_000 } },
    want: "wait: the 7.2 replica on node 2 is 1000000 bytes behind the primary; the 7.2 replica on node 3 is 2000000 bytes behind the primary",
  },
];

for (const { rule, but, want } of cases)
  test(rule, () => {
    const scene = factsOf({ instances: [on(1, 1), on(2, 2)] });
    const [first] = scene.record.shards;
    assert.ok(first !== undefined);
    const second = { ...first, id: 2, primary: 3, instances: [on(3, 2), on(4, 3)] };
    const healthy: Readonly<Record<number, InstanceFacts>> = { 1: primary, 2: serving, 3: primary, 4: serving };
    const instances = new Map(Object.entries({ ...healthy, ...but }).map(([id, facts]) => [Number(id), facts]));
    const record = { ...scene.record, shards: [first, second] };
    assert.equal(brief(decideDatabase({ ...scene, record, instances })), want);
  });
