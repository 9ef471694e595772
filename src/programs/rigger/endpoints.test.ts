import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbRecord, NodeRecord } from "../../ports/management/records.ts";
import { databaseEndpoints, databaseService, nodesOfDatabase, servingNodes } from "./endpoints.ts";

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "rec-db-1", uid: "u", controller: true };
const place = { cluster: "rec", namespace: "default", owner };
const bdb = { uid: 1, name: "orders", port: 10_000 } as BdbRecord;

function node(uid: number, change: Partial<NodeRecord> = {}): NodeRecord {
  const healthy = { uid, addr: `127.0.1.${uid}`, status: "active", accepts_clients: true, maintenance: false };
  return { ...healthy, ...change } as NodeRecord;
}

for (const [name, nodes, want] of [
  ["every healthy node, by number", [node(2), node(1)], [1, 2]],
  ["no node that is about to leave", [node(1), node(2, { maintenance: true })], [1]],
  ["no node whose proxy does not take clients", [node(1, { accepts_clients: false }), node(2)], [2]],
  ["no node that is down", [node(1, { status: "down" }), node(2)], [2]],
] as const) {
  test(`clients are sent to ${name}`, () => {
    assert.deepEqual(
      servingNodes(nodes).map(({ uid }) => uid),
      want,
    );
  });
}

for (const [name, led, want] of [
  ["the nodes of its endpoint", ["127.0.1.1", "127.0.1.3"], [1, 3]],
  ["those of them that serve", ["127.0.1.2", "127.0.1.9"], [2]],
  ["all that serve, where none of them does", ["127.0.1.9"], [1, 2, 3]],
] as const) {
  test(`the address of a database leads to ${name}`, () => {
    const endpoints = [{ uid: "1:1", dns_name: "orders", port: 10_000, addr: led }];
    assert.deepEqual(
      nodesOfDatabase({ ...bdb, endpoints }, [node(1), node(2), node(3)]).map(({ uid }) => uid),
      want,
    );
  });
}

test("a Service without selector and a slice that belongs to it go away with the database's record", () => {
  const service = databaseService(bdb, place);
  const slice = databaseEndpoints(bdb, [node(1), node(3)], place);
  assert.equal(service.spec?.selector, undefined);
  assert.deepEqual(service.spec?.ports, [{ name: "redis", port: 10_000, targetPort: 10_000, protocol: "TCP" }]);
  assert.equal(slice.metadata.labels?.["kubernetes.io/service-name"], "orders");
  assert.deepEqual(
    slice.endpoints.map(({ addresses }) => addresses),
    [["127.0.1.1"], ["127.0.1.3"]],
  );
  for (const { metadata } of [service, slice]) assert.deepEqual(metadata.ownerReferences, [owner]);
});
