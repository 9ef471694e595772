import assert from "node:assert/strict";
import { test } from "node:test";
import { peersToAsk } from "./peers-to-ask.ts";

const peer = (name: string, over: { readonly isSilent?: boolean; readonly isAtWork?: boolean } = {}) => ({
  name,
  machine: name.slice(0, 1),
  isSilent: false,
  isAtWork: false,
  ...over,
});
const working = { isAtWork: true };
const silent = { isSilent: true };

const rules = [
  ["one idle engine is asked for its machine", [peer("a1"), peer("a2")], 0, ["a1"]],
  ["another one in the next turn", [peer("a1"), peer("a2")], 1, ["a2"]],
  ["and the first one again", [peer("a1"), peer("a2")], 2, ["a1"]],
  ["each machine is asked", [peer("a1"), peer("b1")], 0, ["a1", "b1"]],
  ["engines at work are asked besides", [peer("a1", working), peer("a2"), peer("a3", working)], 0, ["a1", "a2", "a3"]],
  ["no idle one is there to be asked", [peer("a1", working)], 3, ["a1"]],
  ["a silent one has all others of its machine asked", [peer("a1", silent), peer("a2"), peer("a3")], 0, ["a2", "a3"]],
  ["it says nothing about another machine", [peer("a1", silent), peer("b1"), peer("b2")], 0, ["b1"]],
  ["what has been asked is not asked again", [peer("a1", silent), peer("a2", silent)], 0, []],
] as const;

for (const [rule, peers, turn, want] of rules)
  test(`engines that are asked whether they are there: ${rule}`, () => {
    assert.deepEqual(
      peersToAsk(peers, turn).map(({ name }) => name),
      want,
    );
  });
