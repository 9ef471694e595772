import assert from "node:assert/strict";
import { test } from "node:test";
import { originOf } from "./origin.ts";
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

/** The first site captures what its client has written; the other one does not get it yet. */
function runAll(sites: Sites): void {
  const [first] = sites.places;
  for (let isMoving = true; isMoving;) isMoving = sites.work(first) || sites.capture(first);
}
