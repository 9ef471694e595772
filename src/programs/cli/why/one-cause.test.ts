import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterView, facts, node } from "../../../../test/kit/facts/cluster-view.ts";
import type { KeptRecord } from "../../../core/planner/node/missing-record.ts";
import { blockedAnswer } from "./answer.ts";
import { withoutEffects } from "./one-cause.ts";

const SINCE = "2026-01-01T00:00:00.000Z";

function keptRecord(bdb: number, name: string): KeptRecord {
  return { bdb, name, created: SINCE, version: "1", digest: "d", since: SINCE };
}

/** A cluster whose nodes keep the records of these databases, which have vanished. */
function missing(...names: readonly string[]) {
  const setAside = names.map((name, index) => ({ id: name, database: index + 1, name, since: SINCE, bytes: 1 }));
  const keptRecords = names.map((name, index) => keptRecord(index + 1, name));
  return clusterView({ cluster: facts({ nodes: [1, 2, 3].map((uid) => node(uid, { setAside, keptRecords })) }) });
}

for (const [rule, view, said, left] of [
  [
    "a database is not there for want of its record",
    missing("orders"),
    ["redb/orders RecordMissing", "redb/orders NotThere"],
    ["redb/orders RecordMissing"],
  ],
  [
    "one that is not there for another reason is said to be",
    missing("orders"),
    ["redb/orders RecordMissing", "redb/carts NotThere"],
    ["redb/orders RecordMissing", "redb/carts NotThere"],
  ],
  [
    "a record that is missing is said of its database",
    missing("orders"),
    ["rec/rec RecordMissing", "redb/orders RecordMissing"],
    ["redb/orders RecordMissing"],
  ],
  [
    "and of the cluster while a database of it has no object that says so",
    missing("orders", "carts"),
    ["rec/rec RecordMissing", "redb/orders RecordMissing"],
    ["rec/rec RecordMissing", "redb/orders RecordMissing"],
  ],
  [
    "and where the cluster does not say which it is",
    clusterView({ cluster: { reachable: false, reason: "no answer" } }),
    ["rec/rec RecordMissing", "redb/orders RecordMissing"],
    ["rec/rec RecordMissing", "redb/orders RecordMissing"],
  ],
  ["what is said twice of an object is said once", clusterView(), ["rec/rec A", "rec/rec A"], ["rec/rec A"]],
] as const)
  test(`each cause once: ${rule}`, () => {
    const answers = said.map((text) => {
      const [object = "", id = ""] = text.split(" ");
      return blockedAnswer(object, id, "", "");
    });
    assert.deepEqual(
      withoutEffects(answers, view).map(({ object, rule: id }) => `${object} ${id}`),
      left,
    );
  });
