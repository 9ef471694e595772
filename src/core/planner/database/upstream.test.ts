import assert from "node:assert/strict";
import { test } from "node:test";
import { reshapedRecord } from "../../../../test/kit/facts/reshaped.ts";
import { everyShard } from "../../api/every-shard.ts";
import type { DatabaseRecord, ReshapePhase } from "../../api/records.ts";
import { upstreamOf } from "./upstream.ts";

/** By instance: the node and the port that it follows; nothing for primaries. */
function followed(record: DatabaseRecord): Readonly<Record<number, string>> {
  const all = everyShard(record).flatMap((shard) =>
    shard.instances.map((instance) => ({ id: instance.id, upstream: upstreamOf(record, shard, instance) })),
  );
  const replicas = all.flatMap(({ id, upstream }) =>
    upstream === undefined ? [] : [[id, `${upstream.node}:${upstream.port}`]],
  );
  return Object.fromEntries(replicas);
}

const OF_SERVING = { 2: "1:20001" };
const OF_REPLICAS = { 4: "2:20003" };
const cases: Readonly<
  Record<Exclude<ReshapePhase, "retire">, { rule: string; follow: Readonly<Record<number, string>> }>
> = {
  copy: {
    rule: "the primaries to be follow the mover, and their replicas follow them",
    follow: { ...OF_SERVING, ...OF_REPLICAS, 3: "3:20101", 5: "3:20102" },
  },
  hold: {
    rule: "they are primaries from when they may be promoted: one that ends is not started empty",
    follow: { ...OF_SERVING, ...OF_REPLICAS },
  },
  return: {
    rule: "they are followers again when the former shards serve, and not before",
    follow: { ...OF_SERVING, ...OF_REPLICAS },
  },
};

for (const phase of ["copy", "hold", "return"] as const)
  test(`${phase}: ${cases[phase].rule}`, () => {
    assert.deepEqual(followed(reshapedRecord(phase)), cases[phase].follow);
  });

test("retire: a former primary is not started again, as it would answer scans without its keys", () => {
  const { shards, reshape, ...rest } = reshapedRecord();
  const record = {
    ...rest,
    shards: reshape?.shards ?? [],
    reshape: { mover: { node: 3, ports: [1] }, tableEpoch: 1, attempt: 1, since: "", phase: "retire" as const, shards },
  };
  assert.deepEqual(followed(record), { ...OF_SERVING, ...OF_REPLICAS });
});

test("the mover speaks TLS where an engine does", () => {
  const record = { ...reshapedRecord(), tlsMode: "enabled" as const };
  const [shard] = record.reshape?.shards ?? [];
  const [primary] = shard?.instances ?? [];
  assert.ok(shard !== undefined && primary !== undefined);
  assert.deepEqual(upstreamOf(record, shard, primary), { node: 3, port: 20_101, tls: true });
});
