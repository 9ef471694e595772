import assert from "node:assert/strict";
import { test } from "node:test";
import { SiteAnswers } from "./site-wait.ts";

type Read = readonly (string | null)[];

const HALVES = [":0-8191", ":8192-16383"];

for (const [rule, slices, reads, count] of [
  ["a database that is not divided has as many as its link says", [""], [["2"]], 2],
  ["nothing is known before its link has answered", [""], [[null]], null],
  ["its last answer counts", [""], [["2"], ["1"]], 1],
  ["nothing is known before the link of each slice has answered", HALVES, [["2 3", null]], null],
  ["no site has it yet", HALVES, [["", "2"]], 0],
  ["a site that has all slices counts", HALVES, [["2 3", "3"]], 1],
  ["sites that have one slice each do not count", HALVES, [["2", "3"]], 0],
  [
    "a link that is asked again and begins anew takes nothing back",
    HALVES,
    [
      ["2", ""],
      ["", "2"],
    ],
    1,
  ],
  [
    "an answer that is no longer there counts on",
    HALVES,
    [
      ["2", null],
      [null, "2"],
    ],
    1,
  ],
] as const satisfies readonly (readonly [string, readonly string[], readonly Read[], number | null])[])
  test(`how many sites have what was written: ${rule}`, () => {
    const answers = new SiteAnswers();
    const counts = reads.map((read: Read) => answers.count(slices, read));
    assert.equal(counts.at(-1), count);
  });
