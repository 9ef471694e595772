import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../test/kit/facts/two-shards.ts";
import type { DatabaseRecord } from "../api/records.ts";
import { parseDatabaseRecord } from "../../programs/agent/records/schema.ts";
import { fromStored, toStored } from "./stored-database.ts";

const recovery = { lacks: "a volume", consent: true } as const;
const inRecovery = factsOf({ instances: [on(1, 1)], record: { status: "recovery" }, shard: { recovery } }).record;
const readAgain = (record: DatabaseRecord): DatabaseRecord =>
  parseDatabaseRecord(JSON.stringify(toStored(record)), "db-1");

test("what the only shard lacks is stored where nodes of releases before 0.5.0 read it, and nowhere else", () => {
  const stored = toStored(inRecovery);
  assert.deepEqual(stored.recovery, recovery);
  assert.deepEqual(
    stored.shards.map((shard) => "recovery" in shard),
    [false],
  );
  assert.deepEqual(readAgain(inRecovery), inRecovery);
});

test("what an older node has written of a recovery counts: the consent, and the end of it", () => {
  const asked = { ...toStored(inRecovery), recovery: { lacks: "a volume" } };
  const consented = { ...asked, recovery };
  assert.deepEqual(
    [asked, consented].map((stored) => fromStored(stored).shards.map((shard) => shard.recovery)),
    [[{ lacks: "a volume" }], [recovery]],
  );
  const { recovery: _over, ...ended } = asked;
  assert.deepEqual(
    fromStored({ ...ended, status: "active" }).shards.map((shard) => "recovery" in shard),
    [false],
  );
});

test("a permission that an older node left behind after the end of a recovery allows nothing", () => {
  const left = { ...toStored(inRecovery), status: "active", recovery: { lacks: "", empty: true } } as const;
  assert.equal(fromStored(left).shards[0]?.recovery, undefined);
  assert.equal("recovery" in fromStored(left), false);
});

test("a database that is in recovery by the word of an older node has a shard that is", () => {
  const { recovery: _unwritten, ...stored } = toStored(inRecovery);
  assert.deepEqual(fromStored(stored).shards[0]?.recovery, { lacks: "" });
});

test("of several shards each has stored what it lacks", () => {
  const { record } = twoShards({ record: { status: "recovery" }, second: { recovery } });
  assert.equal(toStored(record), record);
  assert.deepEqual(readAgain(record), record);
});

test("a record in which two shards share an id, or an instance, is refused", () => {
  const { record } = twoShards({});
  const [first, second] = record.shards;
  assert.ok(first !== undefined && second !== undefined);
  assert.throws(() => readAgain({ ...record, shards: [first, { ...second, id: 1 }] }), /two shards have one id/);
  assert.throws(() => readAgain({ ...record, shards: [first, { ...first, id: 2 }] }), /two instances have one id/);
});
