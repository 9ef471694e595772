import assert from "node:assert/strict";
import { test } from "node:test";
import type { Service } from "kubernetes-types/core/v1.js";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.js";
import type { Stored } from "#kit/kube/kube";
import { answer, questionOf } from "./dns-message.ts";
import { addressesOf, type Names } from "./dns-names.ts";

const ready = { conditions: { ready: true } };
const names = namesOf(
  {
    web: { clusterIP: "10.96.0.9" },
    db: { clusterIP: "None" },
    all: { clusterIP: "None", publishNotReadyAddresses: true },
  },
  [
    { addresses: ["10.244.1.2"], hostname: "db-0", ...ready },
    { addresses: ["10.244.2.2"], hostname: "db-1", conditions: { ready: false } },
    { addresses: ["10.244.1.3"], ...ready },
  ],
);

const questions: readonly (readonly [rule: string, name: string, expected: readonly string[] | undefined])[] = [
  ["a Service has its own address", "web.default.svc.cluster.local", ["10.96.0.9"]],
  ["case does not matter", "WEB.Default.svc.cluster.LOCAL", ["10.96.0.9"]],
  [
    "a headless Service has the addresses of the pods that are ready",
    "db.default.svc.cluster.local",
    ["10.244.1.2", "10.244.1.3"],
  ],
  ["of all pods when it says so", "all.default.svc.cluster.local", ["10.244.1.2", "10.244.2.2", "10.244.1.3"]],
  ["a pod of a headless Service has its own name", "db-0.db.default.svc.cluster.local", ["10.244.1.2"]],
  ["not before it is ready", "db-1.db.default.svc.cluster.local", undefined],
  ["unless the Service says so", "db-1.all.default.svc.cluster.local", ["10.244.2.2"]],
  ["a pod without a host name is called by its address", "10-244-1-3.db.default.svc.cluster.local", ["10.244.1.3"]],
  ["pods of other Services have no names", "db-0.web.default.svc.cluster.local", undefined],
  ["another namespace", "web.other.svc.cluster.local", undefined],
  ["a name outside the cluster", "example.org", undefined],
  ["a longer name", "a.db-0.db.default.svc.cluster.local", undefined],
];
for (const [rule, name, expected] of questions) {
  test(rule, () => {
    assert.deepEqual(addressesOf(name, names), expected);
  });
}

test("a slice without endpoints says null, as the real API server sends it", () => {
  const empty = namesOf({ db: { clusterIP: "None" } }, null);
  assert.deepEqual(addressesOf("db.default.svc.cluster.local", empty), []);
});

test("an answer repeats the question and carries the addresses; no such name differs from no address", () => {
  const asked = messageOf("db.default.svc.cluster.local", 1);
  const question = questionOf(asked);
  assert.ok(question);
  assert.equal(question.name, "db.default.svc.cluster.local");
  const found = answer(asked, question, ["10.244.1.2", "10.244.1.3"]);
  assert.equal(found.readUInt16BE(6), 2);
  assert.deepEqual([...found.subarray(-4)], [10, 244, 1, 3]);
  assert.equal(found.readUInt16BE(0), asked.readUInt16BE(0));
  assert.equal(answer(asked, question, []).readUInt16BE(2) & 0xf, 0);
  assert.equal(answer(asked, question, undefined).readUInt16BE(2) & 0xf, 3);
  const ofIpv6 = messageOf("db.default.svc.cluster.local", 28);
  assert.equal(answer(ofIpv6, questionOf(ofIpv6) ?? question, ["10.244.1.2"]).readUInt16BE(6), 0);
});

test("a malformed question is not answered", () => {
  const good = messageOf("db.default", 1);
  assert.equal(questionOf(good.subarray(0, 15)), undefined);
  assert.equal(questionOf(Buffer.alloc(12)), undefined);
  assert.equal(questionOf(Buffer.from([...good.subarray(0, 12), 0xc0, 0x0c])), undefined);
});

function namesOf(
  services: Readonly<Record<string, Service["spec"]>>,
  endpoints: EndpointSlice["endpoints"] | null,
): Names {
  const metadata = { name: "x", namespace: "default", uid: "1", resourceVersion: "1" };
  return {
    service: (namespace, name) => {
      const spec = namespace === "default" ? services[name] : undefined;
      return spec === undefined ? undefined : { apiVersion: "v1", kind: "Service", metadata, spec };
    },
    slices: () => {
      const slice: Stored<EndpointSlice> = JSON.parse(JSON.stringify({ metadata, addressType: "IPv4", endpoints }));
      return [slice];
    },
  };
}

function messageOf(name: string, type: number): Buffer {
  const header = Buffer.from([0xab, 0xcd, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}
