import assert from "node:assert/strict";
import { test } from "node:test";
import { originOf } from "./operations/origin.ts";
import { Sites } from "../../../test/kit/merge/sites.ts";

const CASES: readonly {
  readonly rule: string;
  readonly before: readonly string[];
  readonly meanwhile: readonly string[];
  /** The site numbers its operations anew. */
  readonly isAnew?: boolean;
  readonly want: string;
}[] = [
  {
    rule: "what clients push onto a list while the process of a site begins again stays",
    before: ["RPUSH", "k", "1"],
    meanwhile: ["RPUSH", "k", "2"],
    want: "k list 1,2",
  },
  {
    rule: "it stays when the site had numbered its operations in another way before",
    before: ["RPUSH", "k", "1"],
    meanwhile: ["RPUSH", "k", "2"],
    isAnew: true,
    want: "k list 1,2",
  },
  {
    rule: "what they take out of a list stays out",
    before: ["RPUSH", "k", "1", "2"],
    meanwhile: ["LPOP", "k"],
    want: "k list 2",
  },
];

for (const { rule, before, meanwhile, want, isAnew = false } of CASES)
  test(rule, () => {
    const sites = new Sites(2, () => 0, Infinity);
    const [first] = sites.places;
    sites.write(first, before);
    runAll(sites);
    if (isAnew && first !== undefined) first.origin = originOf(first.id, 1);
    sites.crash(first);
    while (sites.capture(first)); // it has read the stream, and decides what it writes again
    sites.write(first, meanwhile);
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest().trim(), want);
  });

test("a client that takes a member out and in again while a process begins keeps it, although another site has written the key", () => {
  const sites = new Sites(2, () => 0, Infinity);
  const [first, second] = sites.places;
  sites.write(first, ["SADD", "k", "a"]);
  sites.write(second, ["SADD", "k", "b"]);
  sites.settle();
  sites.crash(first);
  while (sites.capture(first)); // it has read the stream, and decides what it writes again
  sites.write(first, ["SREM", "k", "a"]);
  while (sites.work(first)); // its engine has got that
  sites.write(first, ["SADD", "k", "a"]);
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest().trim(), "k set a,b");
});

for (const [rule, crashes] of [
  ["what has to be written again is written by the next process", 1],
  ["it is written by the process after that, when the next one ends before", 2],
] as const)
  test(rule, () => {
    const sites = new Sites(2, () => 0, Infinity);
    const [first, second] = sites.places;
    sites.write(second, ["SET", "k", "theirs"]);
    for (let isMoving = true; isMoving;) isMoving = sites.work(second) || sites.capture(second);
    sites.deliver("2>1"); // the site has decided what its engine does
    sites.write(first, ["SET", "k", "ours"]);
    while (sites.work(first)); // the engine has done it after the client, and has the older value
    sites.write(first, ["SET", "other", "1"]);
    while (sites.capture(first)); // the site has decided to write the value again
    for (let times = 0; times < crashes; times += 1) {
      // the engine gets all but that
      if (first !== undefined) first.work = first.work.filter(({ kind }) => kind === "log");
      while (sites.work(first));
      assert.match(first?.engine.digest() ?? "", /k string theirs/);
      sites.crash(first);
      sites.write(first, ["SET", "other", String(times)]);
      if (times + 1 < crashes) while (first?.stream[first.at] !== undefined) sites.capture(first);
    }
    sites.settle();
    for (const { engine } of sites.places) assert.match(engine.digest(), /k string ours/);
  });

/** The first site captures what its client has written; the other one does not get it yet. */
function runAll(sites: Sites): void {
  const [first] = sites.places;
  for (let isMoving = true; isMoving;) isMoving = sites.work(first) || sites.capture(first);
}
