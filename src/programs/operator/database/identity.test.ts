import assert from "node:assert/strict";
import { test } from "node:test";
import { ownDatabase } from "./identity.ts";

const nothing = { get: () => undefined };
const redb = { metadata: { name: "orders", namespace: "team" }, status: { databaseUID: "7" } };

for (const [recorded, what] of [
  [true, "may be its own, although nothing is followed yet"],
  [false, "is gone"],
] as const)
  test(`a database that its cluster does not list ${what}, as the API server says of its record`, async () => {
    const asked: unknown[] = [];
    const list = async (_: unknown, { fieldSelector }: { readonly fieldSelector: string }): Promise<unknown> => {
      asked.push(fieldSelector);
      return { items: recorded ? [{}] : [] };
    };
    const deps = { kube: { list }, cache: { records: nothing, secrets: nothing, clusters: nothing } };
    const own = await ownDatabase(deps as never, "rec", { bdbs: [], nodes: [] } as never, redb as never);
    assert.deepEqual(asked, ["metadata.name=rec-db-7"]);
    if (!recorded) return assert.deepEqual(own, {});
    assert.match(own.unready?.evidence ?? "", /does not list database 7, and its record is there/);
  });

const kept = (digest: string) => ({
  bdb: 7,
  name: "orders",
  created_time: "2026-01-01T00:00:00Z",
  version: "90",
  digest,
  since: "2026-02-01T00:00:00Z",
});
const keeping = (uid: number, digest: string) => ({
  uid,
  set_aside: [{ id: "db-7-1-1", bdb: 7, name: "orders", instance: 1, since: "2026-02-01T00:00:00Z", bytes: 1 }],
  missing_records: [kept(digest)],
});

for (const [rule, digests, databaseUID, remedy, nodes = 3] of [
  ["comes back by its uid", ["a", "a", "b"], "7", /-X POST .*\/v1\/bdbs\/7\/actions\/restore_record/],
  [
    "waits while fewer nodes keep it than more than half of those asked for",
    ["a", "a", "a"],
    "7",
    /^bring the nodes/,
    7,
  ],
  ["waits while the last record is not certain", ["a", "b", "c"], "7", /^bring the nodes back that keep it/],
  ["of another uid is none of it, whatever its name", ["a", "a", "a"], "8", undefined],
] as const)
  test(`a database whose record has vanished ${rule}`, async () => {
    const clusters = { get: () => ({ spec: { nodes } }) };
    const cache = { records: nothing, secrets: nothing, clusters };
    const deps = { kube: { list: async () => ({ items: [] }) }, cache };
    const polled = { bdbs: [], nodes: digests.map((digest, index) => keeping(index + 1, digest)) };
    const object = { ...redb, status: { databaseUID } };
    const { failure } = await ownDatabase(deps as never, "rec", polled as never, object as never);
    if (remedy === undefined) return assert.equal(failure, undefined);
    assert.equal(failure?.id, "RecordMissing");
    assert.match(
      failure.evidence,
      /^the record of "orders" \(database 7\), ConfigMap rec-db-7, has been missing since/,
    );
    assert.match(failure.remedy, remedy);
  });
