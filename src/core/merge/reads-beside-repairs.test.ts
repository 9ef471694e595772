import assert from "node:assert/strict";
import { test } from "node:test";
import type { Place } from "../../../test/kit/merge/place.ts";
import { Sites } from "../../../test/kit/merge/sites.ts";

interface Case {
  readonly rule: string;
  /** What both sites have before. */
  readonly before: readonly string[];
  /** What the second site writes, and the first one gets before it captures what its own clients do. */
  readonly theirs: string;
  /** What a client of the first site does before it applies that, and has captured. */
  readonly captured: readonly string[];
  /** What one does then, also before that: the first site has asked for what it has done. */
  readonly read: string;
  /** The read comes after what the second site has written, and before the key is written again. */
  readonly isBehind?: boolean;
  readonly want: string;
}

const cases: readonly Case[] = [
  {
    rule: "members that a client adds under a condition stay where a read shows them before all of the set is written again",
    before: ["SET k 1"],
    theirs: "SET k 5",
    captured: ["DEL k", "ZADD k 3 n"],
    read: "ZADD k NX 40 n 7 m",
    want: "k zset m=7,n=3",
  },
  {
    rule: "a member that a client adds under a condition stays where a read shows it behind what the other site has written",
    before: ["HSET k f 1"],
    theirs: "HSET k f 2",
    captured: ["DEL k", "ZADD k 3 n"],
    read: "ZADD k NX 40 n 7 m",
    isBehind: true,
    want: "k zset m=7,n=3",
  },
  {
    rule: "what a client pushes onto a list stays where a read shows it before the list is written again",
    before: ["RPUSH k 1"],
    theirs: "RPUSH k 9",
    captured: ["RPUSH k 2"],
    read: "RPUSH k 3",
    want: "k list 1,2,3",
  },
];

for (const { rule, before, theirs, captured, read, isBehind = false, want } of cases)
  test(rule, () => {
    const sites = new Sites(2, () => 0, Infinity);
    const [first, second] = sites.places;
    for (const command of before) sites.write(first, command.split(" "));
    sites.settle();
    sites.write(second, theirs.split(" "));
    workAndCapture(sites, second);
    sites.deliver("2>1"); // the site has decided what its engine does
    const apply = first?.work.pop();
    for (const command of captured) sites.write(first, command.split(" "));
    workAndCapture(sites, first);
    sites.write(first, read.split(" "));
    sites.capture(first);
    if (apply !== undefined) first?.work[isBehind ? "unshift" : "push"](apply);
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest().trim(), want);
  });

function workAndCapture(sites: Sites, place: Place | undefined): void {
  for (let isMoving = true; isMoving;) isMoving = sites.work(place) || sites.capture(place);
}
