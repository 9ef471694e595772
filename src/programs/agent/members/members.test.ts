import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../core/base/log.ts";
import { systemClock } from "../../../mechanisms/reconcile/system-clock.ts";
import { testApi, type TestApi } from "../../../../test/kit/kubernetes/api-server.ts";
import { until } from "../../../../test/kit/time/until.ts";
import { followMembers } from "./members.ts";
import { renewNodeLease, type NodeLease } from "./node-lease.ts";

const CLUSTER = { cluster: "rec", namespace: "default" };

test("a node that gives its lease up is gone at once, and back with its next renewal", async () => {
  await using api = await testApi();
  const watching = new AbortController();
  const members = followMembers({ ...CLUSTER, ...environment(api, watching.signal) });
  await members.synced;

  const first = new AbortController();
  const lease = renew(api, first.signal);
  await lease.joined;
  await until("the node is a member", () => members.get(2)?.fresh === true);

  first.abort();
  await lease.release();
  await until("the node is gone", () => members.get(2)?.fresh === false, { withinMs: 2_000 });
  assert.equal(members.get(2)?.report.address, "127.0.0.1", "it is still known");

  const second = new AbortController();
  renew(api, second.signal);
  await until("the node is back", () => members.get(2)?.fresh === true);
  second.abort();
  watching.abort();
});

function renew(api: TestApi, signal: AbortSignal): NodeLease {
  const report = {
    address: "127.0.0.1",
    softwareVersion: "8.2.0-25.12",
    operatorVersion: "8.2.0-12",
    acceptsClients: true,
    engines: [],
    modules: [],
    osName: "Linux",
    architecture: "x64",
    cores: 1,
    memoryBytes: 1,
    startedAt: new Date(0).toISOString(),
  };
  return renewNodeLease({ ...CLUSTER, ...environment(api, signal), node: 2, podName: "rec-1", report: () => report });
}

function environment(api: TestApi, signal: AbortSignal) {
  return { kube: api.kube, clock: systemClock, log: silentLog, signal };
}
