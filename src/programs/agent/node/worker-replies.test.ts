import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointStats, OutstandingRequest, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { replyOfAll } from "./worker-replies.ts";

const REFUSAL: ProxyReply = { ok: false, code: "PROXY_NOT_DRAINED", message: "2 clients wait" };

for (const [rule, replies, joined] of [
  ["a refusal of one is that of all", [hold(3), REFUSAL], REFUSAL],
  ["a hold took as long as the slowest", [hold(3), hold(7), hold(1)], hold(7)],
  ["and so did a release", [release(5), release(2)], release(5)],
  ["all are brought to an epoch, or it is refused", [configured(1), configured(1, 2)], configured(1, 2)],
  ["a drain has closed what all have closed", [drained(3, 1), drained(4, 0)], drained(7, 1)],
  ["a list is of the clients of all", [listed("a\n", 0), listed("b\n", 2)], listed("a\nb\n", 2)],
  ["the oldest requests of all are named first", [quiet(1, 9), quiet(5, 4, 3, 2)], quiet(9, 5, 4, 3, 2)],
  [
    "what only succeeds succeeds",
    [
      { ok: true, op: "fence" },
      { ok: true, op: "fence" },
    ],
    { ok: true, op: "fence" },
  ],
] satisfies readonly (readonly [string, readonly ProxyReply[], ProxyReply])[])
  test(`replies of workers: ${rule}`, () => {
    assert.deepEqual(replyOfAll(replies), joined);
  });

test("numbers of an endpoint are sums, except of what happens at all workers at once", () => {
  const [one, other] = [stats({ clients: 2, epoch: 4 }), stats({ clients: 3, epoch: 5, held: true, listening: false })];
  const reply = replyOfAll([
    { ok: true, op: "stats", endpoints: [one] },
    { ok: true, op: "stats", endpoints: [other] },
  ]);
  assert.ok(reply.ok && reply.op === "stats");
  const [sum, ...more] = reply.endpoints;
  assert.deepEqual(more, []);
  assert.deepEqual([sum?.clients, sum?.epoch, sum?.held, sum?.listening, sum?.requests], [5, 4, true, true, 20]);
  const { switchovers, answered, holds, sentBytes } = sum?.counted ?? {};
  assert.deepEqual([switchovers, sentBytes], [1, 200]);
  assert.deepEqual(
    [answered, holds],
    [
      { counts: [2, 4], sum: 6 },
      { counts: [1, 2], sum: 3 },
    ],
  );
});

test("how long clients were held never falls, whichever worker is ahead", () => {
  const held = (counts: readonly number[], sum: number): EndpointStats => {
    const { counted, ...others } = stats({});
    return counted === undefined ? others : { ...others, counted: { ...counted, holds: { counts, sum } } };
  };
  const endpoints = [held([5, 0, 0], 1), held([0, 0, 2], 9)];
  const reply = replyOfAll(endpoints.map((one) => ({ ok: true, op: "stats", endpoints: [one] })));
  assert.ok(reply.ok && reply.op === "stats");
  assert.deepEqual(reply.endpoints[0]?.counted?.holds, { counts: [5, 0, 0], sum: 9 });
});

function hold(drainMs: number): ProxyReply {
  return { ok: true, op: "hold", drainMs };
}

function release(heldMs: number): ProxyReply {
  return { ok: true, op: "release", heldMs };
}

function configured(...refused: readonly number[]): ProxyReply {
  return { ok: true, op: "configure", refused };
}

function drained(closed: number, remaining: number): ProxyReply {
  return { ok: true, op: "drain", closed, remaining };
}

function listed(lines: string, count: number): ProxyReply {
  return { ok: true, op: "clients", lines, count };
}

function quiet(...ages: readonly number[]): ProxyReply {
  const waitsFor = ages.map((ageMs): OutstandingRequest => ({ client: "10.0.0.1:1", command: "EVAL", ageMs }));
  return { ok: true, op: "quiet", waitsFor };
}

function stats(more: Partial<EndpointStats>): EndpointStats {
  const times = { counts: [1, 2], sum: 3 };
  const counted = {
    receivedBytes: 10,
    sentBytes: 100,
    errors: 0,
    pins: 0,
    switchovers: 1,
    failovers: 0,
    answered: times,
    answeredLate: times,
    holds: times,
    outages: times,
  };
  return {
    bdb: 1,
    epoch: 1,
    listening: true,
    held: false,
    clients: 0,
    inFlight: 0,
    requests: 10,
    cut: 0,
    holdsExpired: 0,
    resent: 0,
    counted,
    ...more,
  };
}
