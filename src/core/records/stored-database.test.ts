import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../test/kit/facts/database-scene.ts";
import { twoShards } from "../../../test/kit/facts/two-shards.ts";
import { FORMAT, SLOTS_FORMAT } from "../api/format.ts";
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
  assert.deepEqual(readAgain(inRecovery), { ...inRecovery, format: FORMAT });
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
  const stored = { ...record, format: SLOTS_FORMAT };
  assert.deepEqual(toStored(record), stored);
  assert.deepEqual(readAgain(record), stored);
});

test("the shards of a record that is read have each slot once", () => {
  const { record } = twoShards({ second: { slots: [{ from: 8_191, to: 16_383 }] } });
  assert.throws(() => readAgain(record), /db-1 is not usable: not each slot has exactly one shard/);
});

test("a record has the later format while its shards have slots, and also once one shard has them all again", () => {
  const { record } = twoShards({ record: { tableEpoch: 1 } });
  const [first] = record.shards;
  assert.ok(first !== undefined);
  const { slots: _all, ...only } = first;
  const joined = toStored({ ...record, shards: [only] });
  assert.deepEqual([toStored(record).format, joined.format], [SLOTS_FORMAT, SLOTS_FORMAT]);
  assert.equal(toStored({ ...inRecovery, format: SLOTS_FORMAT }).format, FORMAT);
});

test("a record in which two shards share an id, or an instance, is refused", () => {
  const { record } = twoShards({});
  const [first, second] = record.shards;
  assert.ok(first !== undefined && second !== undefined);
  assert.throws(() => readAgain({ ...record, shards: [first, { ...second, id: 1 }] }), /two shards have one id/);
  assert.throws(() => readAgain({ ...record, shards: [first, { ...first, id: 2 }] }), /two instances have one id/);
});
