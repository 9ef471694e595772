import assert from "node:assert/strict";
import { test } from "node:test";
import { factsOf, on } from "../../../../test/kit/facts/database-scene.ts";
import type { ActiveActiveRecord, DatabaseRecord, RemoteSite } from "../../api/records.ts";
import { mayLetIn, type FollowedSite } from "./let-in.ts";
import { numberSites } from "./numbers.ts";

const site = { activeActive: { guid: "a", site: 1 } } as const;
const participants = [{ name: "east" }, { name: "west" }];
const reaadb: ActiveActiveRecord = numberSites({
  guid: "a",
  name: "orders",
  version: "8.0",
  participants,
  configuration: {},
  edit: { count: 1, author: "east" },
});
const remoteSites: readonly RemoteSite[] = [
  { name: "east", local: true, host: "east.example.com", serverName: "east", authorities: "" },
  { name: "west", host: "west.example.com", serverName: "west", authorities: "W" },
];
const whole = { activeActives: [reaadb], remoteSites };
const joined: FollowedSite = { sites: [2], hasJoined: true };
const waiting = factsOf({ instances: [on(1, 1)], record: { ...site, awaitsSites: true } }).record;

const answers: readonly (readonly [
  rule: string,
  link: FollowedSite | undefined,
  want: boolean,
  state?: Parameters<typeof mayLetIn>[0],
  record?: DatabaseRecord,
])[] = [
  ["whose link says so are let in", joined, true],
  ["whose link has not got all are not", { ...joined, hasJoined: false }, false],
  ["that no link follows are not", undefined, false],
  ["whose link does not know all sites are not", { ...joined, sites: [] }, false],
  [
    "of which another one is not known here yet are not",
    joined,
    false,
    { ...whole, remoteSites: remoteSites.slice(0, 1) },
  ],
  ["that takes part no more are let in", undefined, true, { ...whole, activeActives: [] }],
  ["whose primary is not back are not, whatever a link says", joined, false, whole, { ...waiting, status: "recovery" }],
];
for (const [rule, link, want, state = whole, record = waiting] of answers)
  test(`gate: clients of a site ${rule}`, () => {
    assert.equal(mayLetIn(state, record, link), want);
  });
