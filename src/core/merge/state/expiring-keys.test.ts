import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../../test/kit/merge/sites.ts";

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

test("a time of expiry that finds no string at a site is lost when the key is made as another type", () => {
  const sites = new Sites(2, () => 0, Infinity);
  const [first, second] = sites.places;
  sites.write(first, ["SET", "k", "a"]);
  sites.settle();
  sites.write(first, ["DEL", "k"]);
  sites.write(second, ["PEXPIREAT", "k", LATER]);
  sites.settle();
  sites.write(second, ["SADD", "k", "n"]);
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest(), "k set n ");
});

/** Everything arrives, while no engine removes a key before it is asked for it. */
function passOn(sites: Sites): void {
  for (let isMoving = true; isMoving;) {
    isMoving = sites.links.filter((link) => sites.deliver(link)).length > 0;
    for (const place of sites.places) {
      while (sites.work(place)) isMoving = true;
      while (sites.capture(place)) isMoving = true;
    }
  }
}

const WRITES: readonly (readonly [
  command: string,
  made: readonly string[],
  first: readonly string[],
  second: readonly string[],
])[] = [
  ["INCRBY", ["SET", "k", "5"], ["INCRBY", "k", "1"], ["INCRBY", "k", "2"]],
  ["SADD", ["SADD", "k", "old"], ["SADD", "k", "a"], ["SADD", "k", "b"]],
  ["HINCRBY", ["HINCRBY", "k", "f", "5"], ["HINCRBY", "k", "f", "1"], ["HINCRBY", "k", "f", "2"]],
  ["RPUSH", ["RPUSH", "k", "5"], ["RPUSH", "k", "1"], ["RPUSH", "k", "2"]],
];

for (const [command, made, first, second] of WRITES) {
  test(`a key that two sites write by ${command} shortly before its time is gone at both after it`, () => {
    const { sites, here, there } = expiring(made);
    sites.write(here, first);
    sites.write(there, second);
    for (const place of sites.places) place.engine.lapse();
    passOn(sites);
    agreed(sites);
    for (const { engine } of sites.places) assert.equal(engine.digest(), "");
  });

  test(`a key that one site writes by ${command} and expires later is there at both, although the other one saw it expire`, () => {
    const { sites, here, there } = expiring(made);
    sites.write(there, second);
    sites.write(there, ["PEXPIREAT", "k", "9000000002"]);
    const want = there?.engine.digest();
    here?.engine.lapse();
    passOn(sites);
    agreed(sites);
    for (const { engine } of sites.places) assert.equal(engine.digest(), want);
  });
}

for (const renewal of [
  ["PEXPIREAT", "k", "9000000002"],
  ["PERSIST", "k"],
])
  test(`a key that one site renews by ${renewal[0]} while another one lets it expire keeps all that it held`, () => {
    const { sites, here, there } = expiring(["HSET", "k", "user", "1"]);
    sites.write(there, renewal);
    const want = there?.engine.digest();
    here?.engine.lapse();
    sites.expire(here);
    agreed(sites);
    for (const { engine } of sites.places) assert.equal(engine.digest(), want);
  });

for (const [command, made, first, second] of WRITES.filter(([name]) => name !== "RPUSH"))
  test(`a key that expires at one site does not begin again without a time by a ${command} of another one that is under way`, () => {
    const { sites, here, there } = expiring(made);
    sites.write(there, second);
    here?.engine.lapse();
    sites.expire(here);
    passOn(sites);
    assert.equal(here?.engine.digest(), "", "it is not there when a client comes");
    sites.write(here, first);
    sites.write(here, ["PEXPIREAT", "k", LATER]);
    for (const place of sites.places) place.engine.lapse();
    agreed(sites);
    for (const { engine } of sites.places) assert.equal(engine.digest(), "");
  });

test("an element that another site writes to a key which it made anew stays", () => {
  const { sites, here, there } = expiring(["SADD", "k", "old"]);
  for (const place of sites.places) place.engine.lapse();
  sites.expire(here);
  sites.write(there, ["SADD", "k", "new"]);
  agreed(sites);
  for (const { engine } of sites.places) assert.equal(engine.digest(), "k set new ");
});

/** Two sites that agree on a key with a time. */
function expiring(made: readonly string[]) {
  const sites = new Sites(2, () => 0, Infinity);
  const [here, there] = sites.places;
  sites.write(here, made);
  sites.write(here, ["PEXPIREAT", "k", LATER]);
  agreed(sites);
  return { sites, here, there };
}

function agreed(sites: Sites): void {
  sites.settle();
  for (let round = 0; round < 2; round += 1) {
    for (const place of sites.places) sites.beat(place);
    sites.settle();
  }
}
