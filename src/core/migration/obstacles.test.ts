import assert from "node:assert/strict";
import { test } from "node:test";
import { migrationObstacles, type DestinationFacts, type SourceFacts } from "./obstacles.ts";

const SOURCE: SourceFacts = {
  engine: { family: "redis", version: "7.0.15" },
  follows: undefined,
  isCluster: false,
  modules: [],
  keys: new Map([[0, 5]]),
  bytes: 1_000,
  denied: [],
};
const INTO: DestinationFacts = {
  name: "orders",
  engine: { family: "valkey", version: "8.1.1" },
  shards: 1,
  databases: 16,
  keys: 0,
  memory: 2_000,
  isReplaced: false,
};

const CASES: readonly {
  readonly name: string;
  readonly source?: Partial<SourceFacts>;
  readonly into?: Partial<DestinationFacts>;
  readonly said?: RegExp;
}[] = [
  { name: "redis 7.0 goes into valkey 8.1" },
  {
    name: "an engine that is too old is named with those that are known",
    source: { engine: { family: "redis", version: "6.2.14" } },
    said: /^MIGRATION_SOURCE_VERSION .*Redis 6\.2\.14/,
  },
  {
    name: "one that does not say its version is unknown",
    source: { engine: { family: "redis", version: "unknown" } },
    said: /^MIGRATION_SOURCE_VERSION /,
  },
  {
    name: "valkey does not read what redis 8.0 has written",
    source: { engine: { family: "redis", version: "8.0.2" } },
    said: /^MIGRATION_NEWER_DATA .*version 12 of the snapshot; orders has Valkey 8\.1\.1/,
  },
  {
    name: "redis 7.0 does not read what valkey 8.1 has written",
    source: { engine: { family: "valkey", version: "8.1.1" } },
    into: { engine: { family: "redis", version: "7.0.15" } },
    said: /^MIGRATION_NEWER_DATA /,
  },
  {
    name: "a replica is answered with its primary",
    source: { follows: "10.0.0.1:6379" },
    said: /^MIGRATION_SOURCE_ROLE .*10\.0\.0\.1:6379/,
  },
  { name: "a node of a cluster is refused", source: { isCluster: true }, said: /^MIGRATION_SOURCE_CLUSTER / },
  { name: "modules are named", source: { modules: ["search"] }, said: /^MIGRATION_SOURCE_MODULES .*search/ },
  {
    name: "what the user may not do is said as the source says it",
    source: { denied: [{ command: "PSYNC", said: "it does not know this command" }] },
    said: /^MIGRATION_SOURCE_DENIES The source refuses PSYNC: it does not know this command/,
  },
  {
    name: "data that do not fit are refused, in the unit of the memory",
    source: { bytes: 256 * 2 ** 20 + 1 },
    into: { memory: 256 * 2 ** 20 },
    said: /^MIGRATION_TOO_LARGE .* take 257 MiB; orders has 256 MiB /,
  },
  {
    name: "several shards have the database 0 alone",
    source: { keys: new Map([[3, 1]]) },
    into: { shards: 2 },
    said: /^MIGRATION_DATABASES .*databases 3; orders has 2 shards/,
  },
  { name: "one shard has numbered databases", source: { keys: new Map([[3, 1]]) } },
  {
    name: "one shard has as many as its engine",
    source: { keys: new Map([[16, 1]]) },
    said: /^MIGRATION_DATABASES .*databases 16; .*below 16/,
  },
  {
    name: "a database with keys is not written over",
    into: { keys: 7 },
    said: /^MIGRATION_NOT_EMPTY orders has 7 keys/,
  },
  { name: "unless that is asked for", into: { keys: 7, isReplaced: true } },
];

for (const { name, source = {}, into = {}, said } of CASES)
  test(name, () => {
    const found = migrationObstacles({ ...SOURCE, ...source }, { ...INTO, ...into });
    const texts = found.map(({ code, message }) => `${code} ${message}`);
    assert.equal(texts.length, said === undefined ? 0 : 1, texts.join("\n"));
    if (said !== undefined) assert.match(texts[0] ?? "", said);
  });

test("all that is in the way is said at once", () => {
  const found = migrationObstacles({ ...SOURCE, isCluster: true, bytes: 9_999 }, { ...INTO, keys: 1 });
  assert.deepEqual(
    found.map(({ code }) => code),
    ["MIGRATION_SOURCE_CLUSTER", "MIGRATION_TOO_LARGE", "MIGRATION_NOT_EMPTY"],
  );
});
