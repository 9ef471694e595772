import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { NODE_PATHS } from "../../src/core/api/names.ts";
import type { DatabaseRecord } from "../../src/core/api/records.ts";
import { Fault } from "#kit/base/fault";
import { ConfigMaps } from "#kit/kube/builtin";
import { faults } from "../../src/programs/agent/faults.ts";
import { parseDatabaseRecord } from "../../src/programs/agent/records/schema.ts";
import { mutatedBytes, mutatedJson } from "../kit/fuzz/mutate.ts";
import { until } from "#kit/testing/until";
import { seededDice, type Dice } from "../kit/world/chaos.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { KEYS, filledDatabase } from "../kit/world/filled-database.ts";
import { kubeOf, readRecord, recordRef } from "../kit/world/records.ts";

/** A seed replays the records; `FUZZ_RECORDS=100000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const records = Number(process.env["FUZZ_RECORDS"] ?? 3_000);
/** So many of the refused ones are stored, one after the other. */
const STORED = 40;
const PATIENCE = { withinMs: 30_000, everyMs: 20 };
/** The node is killed: with aofEverySecond an engine may lose what it has answered in its last second. */
const DURABLE = { data_persistence: "aofAlways" } as const;

await using cluster = await startTestCluster({ nodes: 1 });
using kube = kubeOf(cluster);
await using database = await filledDatabase(cluster, { name: "fuzzed", ...DURABLE });
await using other = await filledDatabase(cluster, { name: "other", ...DURABLE });
const ref = recordRef(cluster, database.uid);
const intact = await readRecord(kube, cluster, database.uid);
const refused = Array.from({ length: 100 }, (_, number) => JSON.stringify(impossible(seededDice(seed + number))));

await test(`a stored record is understood, or refused with the place that is wrong (FUZZ_SEED=${seed})`, () => {
  for (const text of refused) assert.ok(faultOf(text, text) !== undefined, `accepted: ${text}`);
  for (let number = 0; number < records; number += 1) {
    const text = mutatedRecord(seededDice(seed + number));
    const error = faultOf(text, `FUZZ_SEED=${seed + number}`);
    if (error === undefined) continue;
    assert.match(error.message, /configmap rec-db-\d+ is not usable: ./, `FUZZ_SEED=${seed + number}`);
    refused.push(text);
  }
  assert.ok(refused.length > records / 4, `only ${refused.length} were refused`);
});

await test("a node that cannot read a record goes on with what it knows, says which one it is, and removes nothing", async () => {
  const data = join(cluster.root(1), NODE_PATHS.data, `db-${database.uid}`);
  for (const text of refused.filter((_, at) => at % Math.ceil(refused.length / STORED) === 0)) await store(text);
  await until("it names the record", () => cluster.log(1).includes("a record is not usable"), PATIENCE);
  assert.ok(cluster.log(1).includes(ref.name));
  assert.deepEqual([await database.keys(), await other.keys()], [KEYS, KEYS]);
  assert.equal(await database.call("SET", "key 1", "later"), "OK");
  await cluster.kill(1);
  await cluster.start(1);
  await other.active();
  assert.equal(await other.keys(), KEYS);
  assert.ok(existsSync(data), "the data of the database whose record cannot be read is there");
  await store(JSON.stringify(intact));
  await database.active();
  assert.deepEqual([await database.keys(), await database.call("GET", "key 1")], [KEYS, "later"]);
});

async function store(record: string): Promise<void> {
  await kube.patch(ConfigMaps, ref, { type: "merge", body: { data: { record } } });
}

/** Why the text is refused; undefined when it is not. */
function faultOf(text: string, what: string): Fault | undefined {
  try {
    parseDatabaseRecord(text, ref.name);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault, `${what}: ${String(error)}`);
    assert.equal(error.code, faults.badRecord.code, what);
    return error;
  }
}

/** Damaged, or of a wrong type somewhere. */
function mutatedRecord(dice: Dice): string {
  return dice() < 0.3
    ? mutatedBytes(dice, Buffer.from(JSON.stringify(intact))).toString()
    : (JSON.stringify(mutatedJson(dice, intact)) ?? "");
}

/** Each value has its type, and together they make no sense. */
function impossible(dice: Dice): DatabaseRecord {
  const [shard] = intact.shards;
  assert.ok(shard !== undefined);
  const withShard = (part: Partial<typeof shard>): DatabaseRecord => ({ ...intact, shards: [{ ...shard, ...part }] });
  const all: readonly DatabaseRecord[] = [
    { ...intact, uid: intact.uid + 1 },
    { ...intact, port: 70_000 },
    withShard({ primary: 99 }),
    withShard({ instances: [] }),
    withShard({ instances: [...shard.instances, ...shard.instances] }),
    withShard({ instances: shard.instances.map((instance) => ({ ...instance, port: 2 ** 40 })) }),
  ];
  return all[Math.floor(dice() * all.length)] ?? intact;
}
