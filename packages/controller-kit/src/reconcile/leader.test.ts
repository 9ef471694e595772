import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { testApi } from "../../../kubernetes-in-process/src/testing/api-server.ts";
import { answerStatus, reply, scriptedApi, type RecordedRequest, type ScriptedApi } from "../testing/scripted-api.ts";
import { until } from "../testing/until.ts";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { Leases } from "../kube/builtin.ts";
import { connect } from "../kube/client.ts";
import type { KubeConfig } from "../kube/kubeconfig.ts";
import { runWhileLeader } from "./leader.ts";
import { systemClock } from "./system-clock.ts";
import { assertWithin } from "../testing/assert-within.ts";

interface LeaseBody {
  metadata: { resourceVersion?: string; labels?: Record<string, string> };
  spec: { holderIdentity?: string; leaseTransitions?: number; leaseDurationSeconds?: number };
}

/** A server that keeps one Lease with compare-and-swap, and can fall silent for one of its clients. */
class LeaseServer {
  stored: LeaseBody | undefined;
  readonly #watches = new Set<ServerResponse>();
  readonly deaf = new Set<string>();
  /** Renewals that get no answer. */
  unanswered = 0;
  #version = 0;

  answer = (asked: RecordedRequest, response: ServerResponse): void => {
    if (this.deaf.has(asked.headers["user-agent"] ?? "")) {
      response.destroy();
      return;
    }
    if (asked.query.get("watch") === "true") {
      response.writeHead(200).flushHeaders();
      this.#watches.add(response);
      // what was stored between the list and the watch
      if (this.stored && Number(asked.query.get("resourceVersion")) < this.#version) {
        response.write(`${JSON.stringify({ type: "MODIFIED", object: this.stored })}\n`);
      }
      return;
    }
    if (asked.method === "GET" && asked.path.endsWith("/leases")) {
      reply(response, {
        metadata: { resourceVersion: String(this.#version) },
        items: this.stored ? [this.stored] : [],
      });
      return;
    }
    if (asked.method === "GET") {
      if (this.stored) reply(response, this.stored);
      else answerStatus(response, 404, "NotFound");
      return;
    }
    if (asked.method === "PUT" && this.unanswered > 0) {
      this.unanswered -= 1;
      return;
    }
    const body: LeaseBody = JSON.parse(asked.body);
    if (asked.method === "POST" && this.stored) answerStatus(response, 409, "AlreadyExists");
    else if (asked.method === "PUT" && body.metadata.resourceVersion !== this.stored?.metadata.resourceVersion)
      answerStatus(response, 409, "Conflict");
    else reply(response, this.store(body));
  };

  store(body: LeaseBody): LeaseBody {
    const type = this.stored ? "MODIFIED" : "ADDED";
    this.#version += 1;
    const metadata = {
      ...body.metadata,
      name: "l",
      namespace: "default",
      uid: "u",
      resourceVersion: String(this.#version),
    };
    this.stored = { ...body, metadata };
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type, object: this.stored })}\n`);
    return this.stored;
  }

  get holder(): string {
    return this.stored?.spec.holderIdentity ?? "";
  }
}

/** The machine's clock, whose date is set by `byMs`. */
class SetClock implements Clock {
  byMs = 0;
  readonly uptimeMs = systemClock.uptimeMs;
  readonly sleep = systemClock.sleep;

  now(): Date {
    return new Date(Date.now() + this.byMs);
  }
}

/** Longer than a machine stands still. */
const LEASE_MS = 4_000;

interface Candidate {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly leaders: string[];
  leading: boolean;
}

/** Of the candidates of one test. */
const stops: AbortController[] = [];

function candidate(
  api: { readonly config: KubeConfig },
  identity: string,
  lead?: (signal: AbortSignal) => Promise<void>,
  clock: Clock = systemClock,
): Candidate {
  const kube = connect(api.config, { userAgent: identity });
  const stop = new AbortController();
  stops.push(stop);
  const self: Candidate = { stop, ended: Promise.resolve(), leaders: [], leading: false };
  const untilAborted = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  const options = {
    kube,
    lease: { namespace: "default", name: "l" },
    identity,
    clock,
    log: silentLog,
    signal: stop.signal,
    leaseMs: LEASE_MS,
    renewMs: 100,
    retryMs: 50,
    labels: { app: "x" },
    onNewLeader: (leader: string) => self.leaders.push(leader),
  };
  const ended = runWhileLeader(options, async (signal) => {
    self.leading = true;
    try {
      await (lead ?? untilAborted)(signal);
    } finally {
      self.leading = false;
    }
  }).finally(() => kube.close());
  return Object.assign(self, { ended });
}

async function elected(body: (server: LeaseServer, api: ScriptedApi) => Promise<void>): Promise<void> {
  const server = new LeaseServer();
  await using api = await scriptedApi(server.answer);
  try {
    await body(server, api);
  } finally {
    // a test that fails says so at once: its server waits for the requests of its candidates
    for (const stop of stops.splice(0)) stop.abort();
  }
}

test("one candidate leads at a time, and a clean stop hands over at once", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a");
    await until("a leads", () => a.leading);
    const b = candidate(api, "b");
    await until("b knows a", () => b.leaders.includes("a"));
    assert.equal(b.leading, false);
    assert.deepEqual(server.stored?.metadata.labels, { app: "x" });
    const began = performance.now();
    a.stop.abort();
    await a.ended;
    await until("b leads", () => b.leading);
    assertWithin(LEASE_MS - 500, performance.now() - began, "sooner than the lease expires");
    assert.equal(server.stored?.spec.leaseTransitions, 1);
    await until("b knows itself", () => b.leaders.at(-1) === "b");
    b.stop.abort();
    await b.ended;
    assert.equal(server.holder, "");
  }));

test("a leader that cannot renew stops before another may lead", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a");
    await until("a leads", () => a.leading);
    const b = candidate(api, "b");
    await until("b knows a", () => b.leaders.includes("a"));
    server.deaf.add("a");
    await until("b leads", () => {
      assert.ok(!(a.leading && b.leading), "two leaders");
      return b.leading;
    });
    server.deaf.delete("a");
    b.stop.abort();
    await until("a leads again", () => a.leading);
    a.stop.abort();
    await Promise.all([a.ended, b.ended]);
  }));

test("a leader whose lease was taken stops at the next renewal", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a");
    await until("a leads", () => a.leading);
    if (server.stored) server.store({ ...server.stored, spec: { ...server.stored.spec, holderIdentity: "thief" } });
    await until("a stops", () => !a.leading);
    await until("a knows", () => a.leaders.at(-1) === "thief");
    a.stop.abort();
    await a.ended;
    assert.equal(server.holder, "thief", "what is not held is not released");
  }));

test("a lease that a user edits or deletes is kept", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a");
    await until("a leads", () => a.leading);
    if (server.stored)
      server.store({ ...server.stored, metadata: { ...server.stored.metadata, labels: { edited: "yes" } } });
    const version = server.stored?.metadata.resourceVersion;
    await until("it renews", () => server.stored?.metadata.resourceVersion !== version);
    assert.deepEqual(server.stored?.metadata.labels, { edited: "yes" });
    server.stored = undefined;
    await until("it makes a new one", () => server.holder === "a");
    assert.equal(a.leading, true);
    a.stop.abort();
    await a.ended;
  }));

test("a lead that throws ends the candidacy and releases the lease", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a", () => Promise.reject(new Error("cannot lead")));
    await assert.rejects(a.ended, /cannot lead/);
    assert.equal(server.holder, "");
  }));

test("the lease is held until lead has ended", () =>
  elected(async (server, api) => {
    const finish = Promise.withResolvers<void>();
    const a = candidate(api, "a", () => finish.promise);
    await until("a leads", () => a.leading);
    a.stop.abort();
    const version = server.stored?.metadata.resourceVersion;
    await until("it still renews", () => server.stored?.metadata.resourceVersion !== version);
    assert.equal(server.holder, "a");
    finish.resolve();
    await a.ended;
    assert.equal(server.holder, "");
  }));

test("of three candidates at a real API server exactly one leads, through every hand-over", async () => {
  await using api = await testApi();
  const candidates = ["a", "b", "c"].map((identity) => candidate(api, identity));
  const leading = (): Candidate[] => candidates.filter((each) => each.leading);
  for (let left = 3; left > 0; left -= 1) {
    await until("a candidate leads", () => leading().length > 0);
    const [leader, ...others] = leading();
    assert.deepEqual(others, [], "one leads");
    leader?.stop.abort();
    await leader?.ended;
  }
  const lease = await api.kube.get(Leases, { namespace: "default", name: "l" });
  assert.equal(lease?.spec?.leaseTransitions, 2);
  assert.equal(lease.spec.holderIdentity, "");
});

for (const minutes of [10, -10])
  test(`a date set by ${minutes} minutes neither ends a term nor keeps it longer than the lease`, () =>
    elected(async (server, api) => {
      const clock = new SetClock();
      const a = candidate(api, "a", undefined, clock);
      await until("a leads", () => a.leading);
      const b = candidate(api, "b", undefined, clock);
      await until("b knows a", () => b.leaders.includes("a"));
      clock.byMs = minutes * 60_000;
      const { resourceVersion } = server.stored?.metadata ?? {};
      await until("a renews on", () => Number(server.stored?.metadata.resourceVersion) > Number(resourceVersion) + 15);
      assert.deepEqual([a.leading, b.leading], [true, false]);
      clock.byMs = 0;
      await until("a renews", () => server.holder === "a");
      clock.byMs = -minutes * 60_000;
      server.deaf.add("a");
      await until("a ends its term", () => !a.leading, { withinMs: 20_000 });
      await until("b leads", () => b.leading, { withinMs: 20_000 });
      for (const one of [a, b]) one.stop.abort();
      await Promise.all([a.ended, b.ended]);
    }));

test("a renewal without an answer is broken off in time for another one, and the term goes on", () =>
  elected(async (server, api) => {
    const a = candidate(api, "a");
    await until("a leads", () => a.leading);
    server.unanswered = 1;
    await until("a renewal gets no answer", () => server.unanswered === 0);
    const { resourceVersion } = server.stored?.metadata ?? {};
    await until("a renews on", () => Number(server.stored?.metadata.resourceVersion) > Number(resourceVersion) + 5);
    assert.deepEqual([a.leading, a.leaders, server.stored?.spec.leaseTransitions], [true, ["a"], 0]);
    a.stop.abort();
    await a.ended;
  }));
