import assert from "node:assert/strict";
import { test } from "node:test";
import { EarlierCounts, NOT_SERVED } from "./earlier-counts.ts";
import type { EndpointStats } from "../../../ports/management/proxy-control.ts";

test("what a process had counted is kept when another one follows it, and what was so then is not", () => {
  const counts = new EarlierCounts();
  assert.deepEqual(counts.with([stats(10)]), [stats(10)]);
  counts.next();
  counts.next();
  const [between] = counts.with([]);
  assert.deepEqual(
    [between?.requests, between?.clients, between?.listening, between?.epoch, between?.counted?.switchovers],
    [10, 0, false, NOT_SERVED, 2],
  );
  const [after] = counts.with([stats(3)]);
  assert.deepEqual([after?.requests, after?.clients, after?.epoch, after?.counted?.switchovers], [13, 4, 7, 4]);
  assert.deepEqual(after?.counted?.holds, { counts: [2, 4], sum: 6 });
});

test("what an endpoint had counted is forgotten with the endpoint", () => {
  const counts = new EarlierCounts();
  counts.with([stats(10)]);
  counts.next();
  counts.keep([{ bdb: 2 }]);
  assert.deepEqual(counts.with([]), []);
});

function stats(requests: number): EndpointStats {
  const times = { counts: [1, 2], sum: 3 };
  const counted = {
    receivedBytes: 10,
    sentBytes: 100,
    errors: 0,
    pins: 1,
    switchovers: 2,
    failovers: 0,
    answered: times,
    answeredLate: times,
    holds: times,
    outages: times,
  };
  return {
    bdb: 1,
    epoch: 7,
    listening: true,
    held: false,
    clients: 4,
    inFlight: 0,
    requests,
    cut: 0,
    holdsExpired: 0,
    resent: 0,
    counted,
  };
}
