import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "#kit/base/log";
import { Leases } from "#kit/kube/builtin";
import { systemClock } from "#kit/reconcile/system-clock";
import { testApi, type TestApi } from "#kubernetes/testing/api-server";
import { until } from "#kit/testing/until";
import { followMembers } from "./members.ts";
import { VoterSets, isPromised } from "./voter-sets.ts";
import { renewNodeLease, readNodeLease, type KeptVoters, type NodeLease } from "./node-lease.ts";

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

test("of two processes that act for one node the later one alone gets a promise; one that does not say which it is gets it too", async () => {
  await using api = await testApi();
  using watching = new Watching(api);
  using earlier = new Candidate(api);
  await earlier.lease.joined;
  using later = new Candidate(api);
  await later.lease.joined;
  const { members } = watching;
  const seen = (): number | undefined => members.get(2)?.transitions;
  await until("the later one is known", () => seen() !== undefined && seen() === later.lease.transitions());
  await until("the node promises", () => members.promise(2, later.lease.transitions()));
  assert.equal(members.promise(2, earlier.lease.transitions()), false);
  assert.equal(members.promise(2, undefined), true, "nodes of older releases");
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

test("a node that released its lease is fenced unless the API server has a later renewal", async () => {
  await using api = await testApi();
  using node = new Candidate(api, [1, 2, 3]);
  await node.lease.joined;
  using watching = new Watching(api);
  await watching.members.synced;
  await until("it is known", () => watching.members.get(2) !== undefined);
  assert.equal(await watching.members.isFenced(2, consentOf(1, 3)), false, "its lease lasts");
  node.ending.abort();
  await node.lease.release();
  await until("it has released its lease", () => watching.members.get(2)?.mayAcknowledge === false);
  assert.equal(await watching.members.isFenced(2, consentOf()), true, "one that ended in good order needs no consent");
});

test("a node that is silent is fenced when the voters that its lease names consent", async () => {
  await using api = await testApi();
  using node = new Candidate(api, [1, 2, 3]);
  using alone = new Candidate(api, undefined, 3);
  await Promise.all([node.lease.joined, alone.lease.joined]);
  using watching = new Watching(api);
  await watching.members.synced;
  for (const silent of [node, alone]) silent.ending.abort();
  await until("their leases ran out", () => watching.members.list().every(({ mayAcknowledge }) => !mayAcknowledge));
  assert.equal(await watching.members.isFenced(2, consentOf(1)), false, "another voter may promise");
  assert.equal(await watching.members.isFenced(2, consentOf(1, 3)), true);
  assert.equal(await watching.members.isFenced(3, consentOf()), true, "it names no voters: it needs every promise");
});

test("the voters of a renewal whose outcome is not known count until the next one is confirmed", async () => {
  const sets = new VoterSets();
  sets.send([1, 2]);
  assert.deepEqual(sets.all(), [undefined, [1, 2]]);
  sets.confirm([1, 2]);
  for (const voters of [
    [1, 2],
    [1, 3],
    [1, 3],
  ])
    sets.send(voters);
  assert.deepEqual(sets.all(), [
    [1, 2],
    [1, 3],
  ]);
  assert.deepEqual([isPromised(sets.all(), 1, [2, 3], [2]), isPromised(sets.all(), 1, [2, 3], [2, 3])], [false, true]);
  sets.confirm([1, 2, 3]);
  assert.equal(isPromised(sets.all(), 1, [2, 3], [3]), true);
});

test("a node whose renewals are late reports the voters again that its stored lease names", async () => {
  await using api = await testApi();
  using node = new Candidate(api, [1, 2, 3]);
  await node.lease.joined;
  assert.deepEqual(node.kept, [undefined], "at first it has none, and sees the others itself");
  await api.server.close();
  await until("a renewal is late", () => node.kept.at(-1) !== undefined);
  assert.deepEqual(node.kept.at(-1), { voters: [1, 2, 3] });
});

function consentOf(...uids: readonly number[]): (voter: number) => Promise<boolean> {
  return async (voter) => uids.includes(voter);
}

class Candidate {
  readonly ending = new AbortController();
  readonly lease: NodeLease;
  /** What the lease gave to each report. */
  readonly kept: (KeptVoters | undefined)[] = [];

  constructor({ kube }: TestApi, voters?: number[], uid = 2) {
    const about = { address: "127.0.0.1", softwareVersion: "8.2.0-25.12", operatorVersion: "8.2.0-12" };
    const machine = { osName: "Linux", architecture: "x64", cores: 1, memoryBytes: 1 };
    const startedAt = new Date(0).toISOString();
    this.lease = renewNodeLease({
      ...CLUSTER,
      kube,
      clock: systemClock,
      log: silentLog,
      signal: this.ending.signal,
      node: uid,
      podName: `rec-${uid - 1}`,
      report: (kept) => {
        this.kept.push(kept);
        return {
          ...about,
          ...machine,
          acceptsClients: true,
          engines: [],
          modules: [],
          setAside: [],
          capabilities: [],
          startedAt,
          ...(voters === undefined ? {} : { voters }),
        };
      },
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
