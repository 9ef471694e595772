import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../../test/kit/merge/sites.ts";

interface Case {
  readonly rule: string;
  /** What the first site does, each time before the other one knows of it; several at once with ";" between. */
  readonly first: readonly string[];
  /** What the second site does before it knows of any of that. */
  readonly second?: readonly string[];
  readonly want: string;
}

const cases: readonly Case[] = [
  {
    rule: "a value that keeps the time has it at all sites",
    first: ["SET k a", "PEXPIREAT k 9000", "SET k b KEEPTTL"],
    want: "k string b 9000",
  },
  {
    rule: "so has one that follows another one of this kind",
    first: ["SET k a", "PEXPIREAT k 9000", "SET k b KEEPTTL", "SET k c KEEPTTL"],
    want: "k string c 9000",
  },
  {
    rule: "in one transaction it keeps the time that was set there",
    first: ["SET k a;PEXPIREAT k 9000", "SET k b;PEXPIREAT k 8000;SET k c KEEPTTL"],
    want: "k string c 8000",
  },
  {
    rule: "a time that is set after it in one transaction counts",
    first: ["SET k a;PEXPIREAT k 9000", "SET k b KEEPTTL;PEXPIREAT k 8000"],
    want: "k string b 8000",
  },
  {
    rule: "a key that was made anew before it in one transaction has no time to keep",
    first: ["SET k a;PEXPIREAT k 9000", "DEL k;SET k b KEEPTTL"],
    want: "k string b ",
  },
  {
    rule: "nothing is left of a time after all keys were removed",
    first: ["SET k a;PEXPIREAT k 9000", "FLUSHDB;SET k b KEEPTTL"],
    want: "k string b ",
  },
  {
    rule: "a key that does not expire any more stays so",
    first: ["SET k a", "PEXPIREAT k 9000", "PERSIST k", "SET k b KEEPTTL"],
    want: "k string b ",
  },
  {
    rule: "an increment on top changes nothing in that",
    first: ["SET k 1", "PEXPIREAT k 9000", "SET k 2 KEEPTTL", "INCRBY k 3"],
    want: "k string 5 9000",
  },
  {
    rule: "it takes the place of another type that was written in the same transaction",
    first: ["HSET k f 1;PEXPIREAT k 9000;SET k a KEEPTTL"],
    want: "k string a 9000",
  },
  {
    rule: "of two strings the later one has its own time, also when that was kept",
    first: ["SET k a", "PEXPIREAT k 9000"],
    second: ["SET k b", "PEXPIREAT k 7000", "SET k c KEEPTTL"],
    want: "k string c 7000",
  },
];

for (const { rule, first, second = [], want } of cases)
  test(rule, () => {
    const sites = new Sites(2, () => 0, Infinity);
    for (const [index, each] of [first, second].entries())
      for (const commands of each) {
        const place = sites.places[index];
        sites.write(place, ...commands.split(";").map((command) => command.split(" ")));
        while (sites.capture(place) || sites.work(place));
      }
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), want.trimEnd());
  });

for (const [rule, made, more] of [
  ["stays when another site writes the value", ["SET", "k", "a"], []],
  [
    "stays when a string takes the place of a hash that has changed since",
    ["HSET", "k", "f", "1"],
    [["HSET", "k", "f", "2"]],
  ],
] as const)
  test(`a time that all sites had agreed on ${rule}`, () => {
    const sites = new Sites(2, () => 0, Infinity);
    sites.write(sites.places[0], made, ["PEXPIREAT", "k", "9000"]);
    for (let round = 0; round < 3; round += 1) {
      sites.settle();
      for (const place of sites.places) sites.beat(place);
    }
    assert.equal(sites.places[1]?.site.keys.count, 0);
    for (const command of [...more, ["SET", "k", "b", "KEEPTTL"]]) {
      sites.write(sites.places[1], command);
      while (sites.capture(sites.places[1]));
    }
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest(), "k string b 9000");
  });
