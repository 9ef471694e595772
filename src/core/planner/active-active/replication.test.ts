import assert from "node:assert/strict";
import { test } from "node:test";
import { globalConfiguration } from "../../api/database-spec.ts";
import { numberSites } from "./numbers.ts";
import { replicationOf, type ReplicationFacts, type SiteReplication } from "./replication.ts";

const record = numberSites({
  guid: "a",
  name: "carts",
  version: "8.0",
  participants: [{ name: "east" }, { name: "west" }, { name: "north" }],
  configuration: {},
  edit: { count: 1, author: "east" },
});
const since = "2026-11-23T05:00:00.000Z";
const up = (name: string): SiteReplication => ({ name, state: "up", since, cause: "", agreement });
const down = (name: string): SiteReplication => ({ name, state: "down", since, cause: "no answer from b:9444" });
const agreement = { cause: "", agreed_at: since, differing: 0, differences: [] };
const compared = { ...up("north"), agreement };
const differing = {
  ...up("north"),
  agreement: {
    ...agreement,
    differing: 3,
    differences: [{ key: "cart:1", here: "a set of 2 elements, no time of expiry", there: "nothing" }],
  },
};
const older = { ...up("north"), agreement: { ...agreement, cause: "Its release gives no digests of keys." } };
const linked = (...sites: readonly SiteReplication[]) => ({ link: { cause: "", awaitsSites: false, sites } });
const evicting = { ...record, configuration: globalConfiguration.parse({ evictionPolicy: "allkeys-lfu" }) };
const full = numberSites({
  ...record,
  edit: { count: 2, author: "east" },
  numbers: { ...record.numbers, next: 64, given: [] },
});

const cases: readonly (readonly [rule: string, change: Partial<ReplicationFacts>, reason: string, message: RegExp])[] =
  [
    ["it replicates while every other site is up", linked(up("west"), up("north")), "AllUp", /west, north/],
    [
      "it says nothing more where keys were compared, and are the same",
      linked(up("west"), compared),
      "AllUp",
      /north$/,
    ],
    [
      "a site whose keys were not compared yet is named",
      linked(up("west"), { ...up("north"), agreement: undefined }),
      "AllUp",
      /north; keys have not been compared with "north" yet$/,
    ],
    [
      "a site with which all keys have not agreed yet is named",
      linked(up("west"), { ...up("north"), agreement: { ...agreement, agreed_at: undefined } }),
      "AllUp",
      /north; all keys have not been found to be the same as those of "north" yet$/,
    ],
    [
      "a site that cannot be compared is named, with the cause",
      linked(up("west"), older),
      "AllUp",
      /; keys are not compared with "north": Its release gives no digests/,
    ],
    [
      "keys that differ are counted, with one of them, and how to see the others",
      linked(up("west"), differing),
      "SitesDiffer",
      /^3 keys differ from "north" .*"cart:1": a set of 2 .* here, and nothing there; remedy: .*storectl active-active compare carts$/,
    ],
    ["a site that is down is reported before keys that differ", linked(down("west"), differing), "SiteDown", /west/],
    ["a database with one site has nothing to wait for", { participants: ["east"], ...linked() }, "AllUp", /no other/],
    [
      "a site that is down is named, with the time, the cause and what to do",
      linked(up("west"), down("north")),
      "SiteDown",
      /^"north" is down since 2026-11-23T05:00:00.000Z: no answer from b:9444; remedy: .*kubectl/,
    ],
    ["a site that the link does not know is down", linked(up("west")), "SiteDown", /"north" is down: the link/],
    [
      "a site that catches up counts as not up",
      linked(up("west"), { ...up("north"), state: "syncing" }),
      "Syncing",
      /"north" is syncing since/,
    ],
    [
      "one that is down is reported before one that catches up",
      linked(down("west"), { ...up("north"), state: "syncing" }),
      "SiteDown",
      /^"west" is down/,
    ],
    [
      "while nothing is captured here, no other site counts",
      { link: { cause: "the engine refuses a replica", awaitsSites: false, sites: [up("west"), up("north")] } },
      "NotCaptured",
      /the engine refuses/,
    ],
    [
      "a site that has nothing yet joins, with what it waits for and what to do",
      { link: { cause: 'No answer from "north".', awaitsSites: true, sites: [] } },
      "Joining",
      /wait until it has what the others hold: No answer from "north"\.; remedy: .*participatingClusters/,
    ],
    [
      "a site that has all joins until its clients are let in, and names the site that it does not reach",
      { link: { cause: "", awaitsSites: true, sites: [up("west"), down("north")] } },
      "Joining",
      /"north" is down since/,
    ],
    [
      "a site that has all and reaches the others says that clients are let in next",
      { link: { cause: "", awaitsSites: true, sites: [up("west"), up("north")] } },
      "Joining",
      /about to be let in/,
    ],
    [
      "a node of an older release is named",
      { olderNodes: ["node 2 (8.0.2-30)"] },
      "NodesTooOld",
      /node 2 \(8.0.2-30\).*upgrade/,
    ],
    [
      "an eviction policy that no link survives is named",
      { record: evicting },
      "EvictionPolicy",
      /allkeys-lfu.*volatile-/,
    ],
    [
      "a site that was taken out takes no part, and has numbers enough",
      { record: { ...record, participants: [{ name: "west" }, { name: "north" }] } },
      "NotParticipating",
      /none of the participants any more.*: kubectl delete reaadb carts$/,
    ],
    ["a site without a number is reported", { record: full }, "NumbersUsedUp", /63/],
    ["a cluster that does not say how its link is", { link: undefined }, "LinkUnknown", /does not say/],
  ];

for (const [rule, change, reason, message] of cases) {
  test(`replication: ${rule}`, () => {
    const facts = { self: "east", participants: ["east", "west", "north"], record, olderNodes: [], link: undefined };
    const { status, statement } = replicationOf({ ...facts, ...change });
    assert.equal(statement.reason, reason);
    assert.match(statement.message, message);
    assert.equal(statement.status, reason === "AllUp" ? "True" : "False");
    assert.equal(status, reason === "AllUp" || reason === "SitesDiffer" ? "up" : "down");
  });
}

test("replication: each participant has its state; the own one is up while its writes are captured", () => {
  const facts = { self: "east", participants: ["east", "west", "north"], record, olderNodes: [] };
  const { sites } = replicationOf({ ...facts, ...linked(up("west"), down("north")) });
  assert.deepEqual(Object.fromEntries(sites), { east: "up", west: "up", north: "down" });
});
