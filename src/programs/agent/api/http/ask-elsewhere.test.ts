import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../../ports/management/faults.ts";
import type { RouteName } from "../../../../ports/management/routes.ts";
import { elsewhere } from "./ask-elsewhere.ts";
import type { HandlerCall } from "./handler-call.ts";

const CALL = { params: {}, body: undefined, query: {} } as const;

/** What node 1 answers for others, and whom it asked; node 3 alone has current records. */
async function ask<N extends RouteName>(isStale: boolean, name: N, call: Partial<HandlerCall<N>> = {}) {
  const asked: number[] = [];
  const answer = elsewhere({
    node: 1,
    isStale: () => isStale,
    others: () => [2, 3, 4],
    peers: {
      forward: async (node) => {
        asked.push(node);
        if (node !== 3) throw new Fault(faults.unreachable, `node ${node} does not know`);
        return JSON.parse('{"from":3}');
      },
    },
  });
  const given = { ...CALL, ...call } as HandlerCall<N>;
  return { asked, answer: await answer(name, given) };
}

test("a node whose records may be old passes on the answer of the first other one that has current records", async () => {
  assert.deepEqual(await ask(true, "nodes"), { asked: [2, 3], answer: { from: 3 } });
});

for (const [rule, isStale, name, query] of [
  ["a node with current records answers itself", false, "nodes", {}],
  ["a node answers itself about itself", true, "localInstances", {}],
  ["writes go to the leader", true, "deleteBdb", {}],
  ["what asks for no password needs no records", true, "bootstrap", {}],
  ["a selection is not passed on", true, "nodes", { limit: "3" }],
] as const)
  test(rule, async () => {
    assert.deepEqual(await ask(isStale, name, { query }), { asked: [], answer: undefined });
  });

test("a node that is asked by another one and knows no more refuses, so that nothing goes in circles", async () => {
  await assert.rejects(ask(true, "nodes", { forwardedBy: "2" }), { code: "AGENT_STALE" });
});
