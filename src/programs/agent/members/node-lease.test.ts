import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../core/base/log.ts";
import { Leases } from "../../../ports/kube/builtin.ts";
import { systemClock } from "../../../mechanisms/reconcile/system-clock.ts";
import { testApi, type TestApi } from "../../../../test/kit/kubernetes/api-server.ts";
import { until } from "../../../../test/kit/time/until.ts";
import { followMembers } from "./members.ts";
import { renewNodeLease, readNodeLease, type NodeLease } from "./node-lease.ts";

const CLUSTER = { cluster: "rec", namespace: "default" };
const REF = { name: "rec-node-2", namespace: "default" };

test("of two processes that act for one node the later one renews, and the earlier one never again", async () => {
  await using api = await testApi();
  using earlier = new Candidate(api);
  await earlier.lease.joined;
  using later = new Candidate(api);
  await later.lease.joined;
  const began = systemClock.uptimeMs();
  await earlier.lease.renewNow();
  await later.lease.renewNow();
  assert.ok(earlier.lease.renewedAt() < began);
  assert.ok(later.lease.renewedAt() >= began);
});

test("a user who labels the lease does not end the node", async () => {
  await using api = await testApi();
  using node = new Candidate(api);
  await node.lease.joined;
  await api.kube.patch(Leases, REF, { type: "merge", body: { metadata: { labels: { touched: "yes" } } } });
  const touched = systemClock.uptimeMs();
  await until("it is renewed", () => node.lease.renewedAt() > touched);
  assert.equal((await readNodeLease(api.kube, REF))?.metadata.labels?.["touched"], "yes");
});

test("a node that releases its lease is gone at once, and back with its next renewal", async () => {
  await using api = await testApi();
  using watching = new Watching(api);
  await watching.members.synced;
  using first = new Candidate(api);
  await first.lease.joined;
  await until("the node is a member", () => watching.members.get(2)?.fresh === true);
  first.ending.abort();
  await first.lease.release();
  await until("the node is gone", () => watching.members.get(2)?.fresh === false, { withinMs: 2_000 });
  assert.equal(watching.members.get(2)?.report.address, "127.0.0.1", "it is still known");
  using second = new Candidate(api);
  await second.lease.joined;
  await until("the node is back", () => watching.members.get(2)?.fresh === true);
});

test("a node is fenced only when the API server has no later renewal than this process has seen", async () => {
  await using api = await testApi();
  using node = new Candidate(api);
  await node.lease.joined;
  using watching = new Watching(api);
  await watching.members.synced;
  await until("it is known", () => watching.members.get(2) !== undefined);
  assert.equal(await watching.members.isFenced(2), false, "its lease lasts");
  node.ending.abort();
  await node.lease.release();
  await until("it has released its lease", () => watching.members.get(2)?.mayAcknowledge === false);
  assert.equal(await watching.members.isFenced(2), true);
  watching.members.promise(2);
  assert.equal(await watching.members.isFenced(2), false, "a promise binds the node that gave it");
});

class Candidate {
  readonly ending = new AbortController();
  readonly lease: NodeLease;

  constructor({ kube }: TestApi) {
    const about = { address: "127.0.0.1", softwareVersion: "8.2.0-25.12", operatorVersion: "8.2.0-12" };
    const machine = { osName: "Linux", architecture: "x64", cores: 1, memoryBytes: 1 };
    const startedAt = new Date(0).toISOString();
    this.lease = renewNodeLease({
      ...CLUSTER,
      ...{ kube, clock: systemClock, log: silentLog, signal: this.ending.signal, node: 2, podName: "rec-1" },
      report: () => ({
        ...about,
        ...machine,
        acceptsClients: true,
        engines: [],
        modules: [],
        setAside: [],
        capabilities: [],
        startedAt,
      }),
    });
  }

  [Symbol.dispose](): void {
    this.ending.abort();
  }
}

class Watching {
  readonly #ending = new AbortController();
  readonly members;

  constructor({ kube }: TestApi) {
    const { signal } = this.#ending;
    this.members = followMembers({ ...CLUSTER, kube, clock: systemClock, log: silentLog, signal });
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }
}
