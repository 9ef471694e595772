import assert from "node:assert/strict";
import { test } from "node:test";
import { ENDPOINTS_PATIENCE_MS, decideEvacuation } from "./evacuation.ts";
import { REST, waitUnasked, type Rest, type WaitStep } from "../findings/step.ts";
import type { EvacuationAct, EvacuationFacts } from "./evacuation.ts";

const cases: readonly (Partial<EvacuationFacts> & {
  readonly rule: string;
  readonly want: EvacuationAct | WaitStep | Rest;
})[] = [
  {
    rule: "leadership goes first",
    isLeader: true,
    primaries: [{ name: "orders", waitingFor: "" }],
    want: "hand-over-leadership",
  },
  {
    rule: "leadership stays when it was not asked for",
    isLeader: true,
    demote: false,
    want: "drain-clients",
  },
  {
    rule: "leadership stays when no other node can take it",
    isLeader: true,
    hasSuccessor: false,
    want: "drain-clients",
  },
  {
    rule: "primaries go before clients",
    primaries: [{ name: "orders", waitingFor: "" }],
    want: waitUnasked("EvacuatingNode", 'the primary of "orders" is moving'),
  },
  {
    rule: "a primary that cannot go says why, and how many more there are",
    primaries: [
      { name: "orders", waitingFor: "the 7.2 replica on node 2 does not run" },
      { name: "carts", waitingFor: "" },
    ],
    want: waitUnasked(
      "EvacuatingNode",
      'the primary of "orders" and 1 more waits: the 7.2 replica on node 2 does not run',
    ),
  },
  {
    rule: "copies that fit elsewhere are made there before the node is left",
    replacing: ["orders", "carts"],
    want: waitUnasked("EvacuatingNode", 'a copy of "orders" and of 1 more is being made on another node'),
  },
  {
    rule: "clients stay while services still send new ones",
    listedIn: ["endpointslice orders"],
    want: waitUnasked("EvacuatingNode", "endpointslice orders still lists node 1"),
  },
  {
    rule: "a service that goes on listing the node does not hold it up for ever",
    listedIn: ["endpointslice orders"],
    waitedForEndpointsMs: ENDPOINTS_PATIENCE_MS,
    want: "drain-clients",
  },
  { rule: "clients are drained once no service lists the node", want: "drain-clients" },
  { rule: "the evacuation is over when nothing is left on the node", clientsDrained: true, want: REST },
  {
    rule: "a node that is down has no clients to wait for",
    alive: false,
    listedIn: ["endpointslice orders"],
    want: REST,
  },
];

for (const { rule, want, ...facts } of cases) {
  test(rule, () => {
    const usual: EvacuationFacts = {
      node: 1,
      alive: true,
      isLeader: false,
      demote: true,
      hasSuccessor: true,
      primaries: [],
      replacing: [],
      listedIn: [],
      waitedForEndpointsMs: 0,
      clientsDrained: false,
    };
    const step = decideEvacuation({ ...usual, ...facts });
    assert.deepEqual(step.kind === "act" ? step.act : step, want);
  });
}
