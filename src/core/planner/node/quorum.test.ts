import assert from "node:assert/strict";
import { test } from "node:test";
import { deniesMajority, hasMajority, votersOf, type VoterFacts } from "./quorum.ts";

const node = (uid: number, facts: Partial<VoterFacts> = {}): VoterFacts => ({
  uid,
  fresh: true,
  votes: true,
  left: false,
  ...facts,
});

for (const [rule, members, expected] of [
  ["the nodes that are alive vote", [node(1), node(2), node(3)], [1, 2, 3]],
  ["a node votes for itself before others know it", [node(2), node(3)], [1, 2, 3]],
  ["a node whose lease ran out does not vote", [node(1), node(2), node(3, { fresh: false })], [1, 2]],
  ["the lease of the node itself does not count", [node(1, { fresh: false }), node(2)], [1, 2]],
  [
    "with a node of an older release in the cluster every promise is needed",
    [node(1), node(2, { votes: false })],
    undefined,
  ],
  [
    "also while that node is away: it may come back",
    [node(1), node(2), node(3, { votes: false, fresh: false })],
    undefined,
  ],
  [
    "the last node alive does not vote alone",
    [node(1), node(2, { fresh: false }), node(3, { fresh: false })],
    [1, 2, 3],
  ],
  ["a node alone in its cluster does", [node(1)], [1]],
  ["a node of an older release that has left does not matter", [node(1), node(2, { votes: false, left: true })], [1]],
] as const)
  test(rule, () => {
    assert.deepEqual(votersOf(members, 1), expected);
  });

for (const [rule, voters, promised, expected] of [
  ["a node alone in its cluster needs no promise", [1], [], true],
  ["of two nodes both are needed", [1, 2], [], false],
  ["of three nodes one promise is enough", [1, 2, 3], [3], true],
  ["of three nodes none is not enough", [1, 2, 3], [], false],
  ["of four nodes two promises are needed", [1, 2, 3, 4], [2], false],
  ["of five nodes two promises are enough", [1, 2, 3, 4, 5], [2, 4], true],
  ["the promise of a node that does not vote does not count", [1, 2, 3], [4, 5], false],
] as const)
  test(rule, () => {
    assert.equal(hasMajority(voters, 1, promised), expected);
  });

for (const [rule, voters, consented, expected] of [
  ["of three nodes both others must consent", [1, 2, 3], [2], false],
  ["of three nodes both others are enough", [1, 2, 3], [2, 3], true],
  ["of two nodes the other one is enough", [1, 2], [2], true],
  ["of five nodes three others are enough", [1, 2, 3, 4, 5], [2, 3, 4], true],
  ["of five nodes two others are not", [1, 2, 3, 4, 5], [2, 3], false],
  ["nothing is taken from a node that is its only voter", [1], [], false],
  ["consent of a node that does not vote does not count", [1, 2, 3], [4, 5], false],
] as const)
  test(rule, () => {
    assert.equal(deniesMajority(voters, 1, consented), expected);
  });

test("no majority of promises is possible beside the consents to a take-over, whatever the voters", () => {
  for (let size = 1; size <= 7; size += 1) {
    const voters = Array.from({ length: size }, (_, at) => at + 1);
    const others = voters.slice(1);
    for (let chosen = 0; chosen < 2 ** others.length; chosen += 1) {
      const consented = others.filter((_, at) => (chosen >> at) & 1);
      const promised = others.filter((uid) => !consented.includes(uid));
      assert.notEqual(deniesMajority(voters, 1, consented), hasMajority(voters, 1, promised));
    }
  }
});
