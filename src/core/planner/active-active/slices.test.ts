import assert from "node:assert/strict";
import { test } from "node:test";
import { activeActiveSpec, type ActiveActiveSpec } from "../../api/active-active.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import type { Participant } from "./participants.ts";
import { shardsOfSite, sliceFindings, countSlices } from "./slices.ts";

const participants = [{ name: "east" }, { name: "west", shardCount: 2 }];
const known: ActiveActiveRecord = {
  guid: "g",
  name: "carts",
  version: "8.0",
  participants,
  configuration: { shardCount: 6 },
  edit: { count: 1, author: "east" },
};
const word = { answers: true, operator: undefined, nodeTags: [] } as const;
const both: readonly Participant[] = participants.map(({ name }) => ({ name, word, knowsSlices: true }));
const olderWest = both.map((one) => ({ ...one, knowsSlices: one.name !== "west" }));
const spec = (
  shardCount: number | undefined,
  participatingClusters: readonly object[] = participants,
): ActiveActiveSpec =>
  activeActiveSpec.parse({
    participatingClusters,
    ...(shardCount === undefined ? {} : { globalConfigurations: { shardCount } }),
  });

const cases: readonly (readonly [
  rule: string,
  asked: Parameters<typeof sliceFindings>,
  id: string | undefined,
  says?: RegExp,
])[] = [
  ["what was made stays", [spec(6), known, both], undefined],
  ["a new database may have several", [spec(6), undefined, both], undefined],
  ["a database keeps the number that it was made with", [spec(4), known, both], "ShardCountFixed", /is 4, .* with 6/],
  ["one that is left out counts as one", [spec(undefined), known, both], "ShardCountFixed", /is 1/],
  [
    "a participant keeps its shards",
    [spec(6, [{ name: "east", shardCount: 3 }, participants[1] ?? {}]), known, both],
    "ShardCountFixed",
    /"east" has 6 shards, and 3 are asked for/,
  ],
  [
    "a participant that comes may have any number",
    [spec(6, [...participants, { name: "north", shardCount: 3 }]), known, both],
    undefined,
  ],
  [
    "a new database needs participants that know shards",
    [spec(6), undefined, olderWest],
    "ParticipantKnowsNoShards",
    /west/,
  ],
  ["with one shard, any participant will do", [spec(1), undefined, olderWest], undefined],
  ["a participant that is away stays", [spec(6), known, olderWest], undefined],
  [
    "one that comes has to know shards",
    [spec(6, [...participants, { name: "north" }]), known, [...both, { name: "north", word, knowsSlices: false }]],
    "ParticipantKnowsNoShards",
    /north/,
  ],
];

for (const [rule, asked, id, says = /./] of cases)
  test(`shards of an Active-Active database: ${rule}`, () => {
    const [finding] = sliceFindings(...asked);
    assert.equal(finding?.id, id);
    if (finding !== undefined) assert.match(finding.evidence, says);
  });

test("a participant has as many shards as it says, or as the configuration says", () => {
  assert.equal(countSlices({ configuration: {} }), 1);
  assert.equal(countSlices(known), 6);
  assert.equal(shardsOfSite(known, "east"), 6);
  assert.equal(shardsOfSite(known, "west"), 2);
});

test("a participant that is to have other shards is taken out and put in again, by the commands that the finding names", () => {
  const [finding] = sliceFindings(spec(6, [{ name: "east" }, { name: "west", shardCount: 3 }]), known, both);
  assert.match(
    finding?.remedy ?? "",
    /to 2; or .*: storectl active-active remove-site carts west, then at "west", as soon as its object says NotParticipating .* kubectl delete reaadb carts, then storectl active-active add-site carts west\/3$/,
  );
});
