import assert from "node:assert/strict";
import { test } from "node:test";
import type { InstanceRecord } from "../../api/records.ts";
import { behind, brief, dead, factsOf, node, on, toVersion8 } from "../../../../test/kit/facts/database-scene.ts";
import type { Scene } from "../../../../test/kit/facts/database-scene.ts";
import { decideDatabase } from "./decide.ts";
import { engineTlsObjection, type TlsNode } from "./engine-tls.ts";

const withTls = (instance: InstanceRecord): InstanceRecord => ({ ...instance, tls: true });
const asked: Scene["record"] = { status: "active-change-pending", tlsMode: "enabled" };
const pair = [on(1, 1), on(2, 2)];

const cases: readonly (Scene & { readonly rule: string; readonly want: string })[] = [
  { rule: "TLS 1: a replica with TLS is added", instances: pair, record: asked, want: "add 7.2 on node 3" },
  {
    rule: "TLS 2: no replica without it goes before that is in sync",
    instances: [...pair, withTls(on(3, 3))],
    record: asked,
    but: { 3: behind },
    want: "wait: the 7.2 replica on node 3 is 1000000 bytes behind the primary",
  },
  {
    rule: "TLS 3: the replica without it makes room",
    instances: [...pair, withTls(on(3, 3))],
    record: asked,
    want: "retire 2",
  },
  {
    rule: "TLS 4: a replica with TLS takes over; the version is the same, so that no content is compared",
    instances: [on(1, 1), withTls(on(3, 3)), withTls(on(4, 2))],
    record: asked,
    want: "switch-over to 3",
  },
  {
    rule: "TLS 5: the primary without it goes",
    instances: [on(1, 1), withTls(on(3, 3)), withTls(on(4, 2))],
    shard: { primary: 3 },
    record: asked,
    want: "retire 1",
  },
  {
    rule: "TLS 6: it is there when every instance has it",
    instances: [withTls(on(3, 3)), withTls(on(4, 2))],
    shard: { primary: 3 },
    record: asked,
    want: "activate",
  },
  {
    rule: "switched off, it goes the same way back",
    instances: [withTls(on(1, 1)), withTls(on(2, 2))],
    record: { status: "active-change-pending" },
    want: "add 7.2 on node 3",
  },
  {
    rule: "TLS and a version that are asked for together are one move",
    instances: [on(1, 1), withTls(on(3, 3, "8.0")), withTls(on(4, 2, "8.0"))],
    record: { ...toVersion8, tlsMode: "enabled" },
    want: "verify 3",
  },
  {
    rule: "with the primary dead a replica takes over, whether it has TLS or not",
    instances: pair,
    record: asked,
    but: { 1: dead },
    want: "fail-over to 2",
  },
  {
    rule: "a node whose engine speaks no TLS takes no copy",
    instances: [withTls(on(1, 1))],
    record: { tlsMode: "mutual" },
    nodes: [node(2, { tlsEngines: [] }), node(3, { tlsEngines: ["8.0"] })],
    want:
      'wait: "orders" needs another replica, but no node can take a 7.2 replica: node 1 already holds an instance of it, ' +
      "node 2 has a 7.2 engine that speaks no TLS, node 3 has a 7.2 engine that speaks no TLS",
  },
];

for (const { rule, want, ...scene } of cases)
  test(rule, () => {
    assert.equal(brief(decideDatabase(factsOf(scene))), want);
  });

const reporting = (uid: number, tls: boolean | undefined): TlsNode => ({
  uid,
  release: "8.2.0-12",
  engines: [{ storeVersion: "7.2", engine: "redis 7.0.15", tls }],
});

test("TLS is possible once every engine of the version speaks it", () => {
  assert.equal(engineTlsObjection([reporting(1, true), reporting(2, true)], "7.2"), undefined);
  assert.equal(
    engineTlsObjection([reporting(1, true), reporting(2, false), reporting(3, undefined)], "7.2"),
    "the 7.2 engine of node 2 (redis 7.0.15) speaks no TLS; node 3 is of release 8.2.0-12, which speaks no TLS with engines",
  );
  assert.equal(engineTlsObjection([reporting(1, false)], "8.0"), undefined, "where it runs is another question");
});
