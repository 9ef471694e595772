import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../test/kit/merge/sites.ts";

const LATER = "9000000001";

interface Case {
  readonly rule: string;
  /** Agreed on by both sites. */
  readonly before?: readonly (readonly string[])[];
  /** What each site does before it knows of the other one. */
  readonly first: readonly (readonly string[])[];
  readonly second: readonly (readonly string[])[];
  /** What the second site does when both have that. */
  readonly after?: readonly string[];
  readonly want: string;
}

const member = ["SADD", "k", "m"];
const cases: readonly Case[] = [
  {
    rule: "a time of expiry that finds no key at a site is lost at all of them",
    before: [member],
    first: [["DEL", "k"]],
    second: [["PEXPIREAT", "k", LATER]],
    after: ["SADD", "k", "n"],
    want: "k set n ",
  },
  {
    rule: "so it is where the key is made right after it",
    before: [member],
    first: [["SREM", "k", "m"]],
    second: [
      ["PEXPIREAT", "k", LATER],
      ["SADD", "k", "n"],
    ],
    want: "k set n ",
  },
  {
    rule: "so it is where the same member comes right after it",
    before: [member],
    first: [["SREM", "k", "m"]],
    second: [
      ["PEXPIREAT", "k", LATER],
      ["SREM", "k", "m"],
      ["SADD", "k", "m"],
    ],
    want: "k set m ",
  },
  {
    rule: "a time of expiry that finds the key stays",
    before: [member],
    first: [["SADD", "k", "n"]],
    second: [["PEXPIREAT", "k", LATER]],
    want: `k set m,n ${LATER}`,
  },
];

for (const { rule, before = [], first, second, after, want } of cases)
  test(rule, () => {
    const sites = new Sites(2, () => 0, Infinity);
    const agree = (): void => {
      sites.settle();
      for (let round = 0; round < 2; round += 1) {
        for (const place of sites.places) sites.beat(place);
        sites.settle();
      }
    };
    for (const command of before) sites.write(sites.places[0], command);
    agree();
    for (const command of first) sites.write(sites.places[0], command);
    for (const command of second) sites.write(sites.places[1], command);
    sites.settle();
    if (after !== undefined) sites.write(sites.places[1], after);
    agree();
    for (const { engine } of sites.places) assert.equal(engine.digest(), want);
  });
