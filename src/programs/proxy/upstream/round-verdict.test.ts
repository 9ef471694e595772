import assert from "node:assert/strict";
import { test } from "node:test";
import type { Address, SyncReplicas } from "../../../ports/management/proxy-control.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import { requirementOf } from "./requirement.ts";
import { judgeRound, type RoundVerdict } from "./round-verdict.ts";

const one: Address = { host: "10.0.0.1", port: 1 };
const two: Address = { host: "10.0.0.2", port: 2 };
const role = (offset: number, ...replicas: [Address, number][]): Reply => [
  "master",
  offset,
  replicas.map(([{ host, port }, confirmed]) => [host, String(port), String(confirmed)]),
];
const REPLICA: Reply = ["slave", "10.0.0.9", 9, "connected", 50];

const cases: readonly { rule: string; seen: (Reply | undefined)[]; want: RoundVerdict }[] = [
  {
    rule: "each replica has what was written before",
    seen: [role(10), role(12, [one, 10], [two, 11])],
    want: "covered",
  },
  { rule: "one of them has not", seen: [role(10), role(12, [one, 12], [two, 9])], want: "missing" },
  {
    rule: "another replica does not stand in for one",
    seen: [role(10), role(12, [one, 12], [{ ...two, port: 3 }, 12])],
    want: "missing",
  },
  {
    rule: "what was written meanwhile does not count",
    seen: [role(10, [one, 0]), role(99, [one, 10], [two, 10])],
    want: "covered",
  },
  { rule: "the engine was made a replica", seen: [role(10), REPLICA], want: "not-primary" },
  { rule: "the engine runs a script and says nothing", seen: [undefined, undefined], want: "missing" },
];
for (const { rule, seen, want } of cases)
  test(`a round: ${rule}`, () => {
    assert.equal(judgeRound(seen, [one, two]), want);
  });

test("replies wait for members and for replicas that join, in the epoch of the set alone", () => {
  const sync = { withoutReplica: "degrade", epoch: 3, set: { version: 1, members: [one], joining: [two] } } as const;
  assert.deepEqual(requirementOf(sync, 3), [one, two]);
  assert.equal(requirementOf(sync, 4), "hold");
  assert.equal(requirementOf({ withoutReplica: "degrade", epoch: 3 }, 3), "hold");
  assert.equal(requirementOf(undefined, 3), "none");
});

test("without a member replies pass, or wait, as the database says; a replica that joins is waited for all the same", () => {
  const alone = { version: 1, members: [], joining: [] };
  const joined = { ...alone, joining: [two] };
  const of = (withoutReplica: "degrade" | "wait", set: Required<SyncReplicas>["set"]) =>
    requirementOf({ withoutReplica, epoch: 3, set }, 3);
  assert.deepEqual([of("degrade", alone), of("wait", alone)], ["none", "hold"]);
  assert.deepEqual([of("degrade", joined), of("wait", joined)], [[two], "hold"]);
});
