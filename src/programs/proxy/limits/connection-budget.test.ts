import assert from "node:assert/strict";
import { test } from "node:test";
import { readWorker } from "./proxy-worker.ts";
import { ConnectionBudget, connectionRoom, IDLE_BYTES, mayTake } from "./connection-budget.ts";

/** Of three endpoints each is kept 1,198, and the next one, too. */
const ROOM = 9_584;

const rules: readonly (readonly [rule: string, own: number, others: readonly number[], want: boolean])[] = [
  ["an endpoint has its share, however many others have", 1_197, [4_000, 4_000], true],
  ["above its share it has what nothing is kept for", 1_198, [1_198, 1_198], true],
  ["until all of that is taken, but for one share that is kept for an endpoint that comes", 5_990, [0, 0], false],
  ["one connection less, and there is room", 5_989, [0, 0], true],
  ["what another one has above its share is taken", 2_000, [5_188, 0], false],
  ["and what it does not have is free", 2_000, [5_187, 0], true],
];
for (const [rule, own, others, want] of rules)
  test(`connections of endpoints: ${rule}`, () => {
    assert.equal(mayTake(ROOM, own, others), want);
  });

test("connections of endpoints: without a limit of files there is none", () => {
  assert.ok(mayTake(Number.POSITIVE_INFINITY, 1e9, [1e9]));
});

const MIB = 1_048_576;
const fits: readonly (readonly [
  rule: string,
  limit: number,
  kind: keyof typeof IDLE_BYTES,
  atLeast: number,
  below: number,
])[] = [
  ["the container of agent and proxy of 704 MiB has room for 10,000 clients without TLS", 704, "plain", 10_000, 15_000],
  ["and for 2,500 with TLS, so that they do not end the node", 704, "tls", 2_500, 3_000],
  ["a node with more memory takes more of them", 2_048, "tls", 10_000, 20_000],
  ["a small node takes some", 352, "tls", 700, 1_000],
];
for (const [rule, limit, kind, atLeast, below] of fits)
  test(`connections of endpoints: ${rule}`, () => {
    const budget = new ConnectionBudget({
      files: Number.POSITIVE_INFINITY,
      bytes: connectionRoom(limit * MIB, readWorker(undefined)),
    });
    const holder = { connections: 0, connectionBytes: 0 };
    budget.join(holder);
    while (budget.mayOpen(holder)) {
      holder.connections += 1;
      holder.connectionBytes += IDLE_BYTES[kind];
    }
    assert.ok(holder.connections >= atLeast && holder.connections < below, `${holder.connections} connections`);
  });
