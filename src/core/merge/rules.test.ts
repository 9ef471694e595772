import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../test/kit/merge/sites.ts";

interface Case {
  readonly rule: string;
  /** What both sites have before. */
  readonly before?: readonly string[];
  /** What the sites do without knowing of each other; the first is the earlier one. */
  readonly first: readonly string[];
  readonly second: readonly string[];
  /** What both have then. */
  readonly want: string;
  /** Milliseconds by which the clock of the second site is behind. */
  readonly behind?: number;
}

const cases: readonly Case[] = [
  {
    rule: "of two values written at once the later one stays",
    first: ["SET k a"],
    second: ["SET k b"],
    want: "k string b",
  },
  {
    rule: "the later one is known by the clocks: a site whose clock is behind loses",
    first: ["SET k a"],
    second: ["SET k b"],
    behind: 60_000,
    want: "k string a",
  },
  {
    rule: "increments made at once all count",
    before: ["SET k 5"],
    first: ["INCRBY k 2"],
    second: ["INCRBY k 3"],
    want: "k string 10",
  },
  { rule: "increments of a new key all count", first: ["INCRBY k 2"], second: ["INCRBY k -5"], want: "k string -3" },
  {
    rule: "an increment beside a value that wins does not count",
    before: ["SET k 5"],
    first: ["INCRBY k 2"],
    second: ["SET k 100"],
    want: "k string 100",
  },
  {
    rule: "an increment that came after the value counts on top of it",
    first: ["SET k 100", "INCRBY k 2"],
    second: ["INCRBY k 50"],
    want: "k string 102",
  },
  {
    rule: "a value written while the key is removed stays",
    before: ["SET k a"],
    first: ["DEL k"],
    second: ["SET k b"],
    want: "k string b",
  },
  {
    rule: "a value written before the key was removed at another clock stays, if the removal had not seen it",
    before: ["SET k a"],
    first: ["SET k b"],
    second: ["DEL k"],
    want: "k string b",
  },
  {
    rule: "an increment made while the key is removed is all that is left",
    before: ["SET k 5"],
    first: ["DEL k"],
    second: ["INCRBY k 3"],
    want: "k string 3",
  },
  {
    rule: "what a site knows when it removes all keys is gone, and what another site adds or increments meanwhile stays",
    before: ["SADD k m", "SET l a"],
    first: ["FLUSHDB"],
    second: ["SADD k n"],
    want: "k set n",
  },
  {
    rule: "a value that is written while all keys are removed stays, and one that is written afterwards too",
    before: ["SET k a"],
    first: ["FLUSHDB", "SET k b"],
    second: ["INCRBY l 3"],
    want: "k string b \nl string 3",
  },
  {
    rule: "what a site removes after it saw it is gone",
    before: ["SADD k m n"],
    first: ["SREM k m"],
    second: ["SADD k o"],
    want: "k set n,o",
  },
  {
    rule: "a member that is added again while another site removes it stays",
    before: ["SADD k m"],
    first: ["SREM k m", "SADD k m"],
    second: ["SREM k m"],
    want: "k set m",
  },
  { rule: "members added at once are all there", first: ["SADD k m n"], second: ["SADD k n o"], want: "k set m,n,o" },
  {
    rule: "a removed key loses what its site had seen, and keeps what another site adds",
    before: ["HSET k m 1", "HSET k n 2"],
    first: ["DEL k"],
    second: ["HSET k o 3"],
    want: "k hash o=3",
  },
  {
    rule: "fields are written each for itself",
    before: ["HSET k m 1"],
    first: ["HSET k m 2", "HSET k n 2"],
    second: ["HSET k m 3"],
    want: "k hash m=3,n=2",
  },
  {
    rule: "a field written while it is removed stays",
    before: ["HSET k m 1"],
    first: ["HSET k m 2"],
    second: ["HDEL k m"],
    want: "k hash m=2",
  },
  {
    rule: "increments of fields all count",
    before: ["HSET k m 1"],
    first: ["HINCRBY k m 2"],
    second: ["HINCRBY k m 4"],
    want: "k hash m=7",
  },
  {
    rule: "the later score of a member stays",
    before: ["ZADD k 1 m"],
    first: ["ZADD k 2 m"],
    second: ["ZADD k 3 m"],
    want: "k zset m=3",
  },
  {
    rule: "increments of scores all count",
    before: ["ZADD k 1 m"],
    first: ["ZINCRBY k 2 m"],
    second: ["ZINCRBY k 4 m"],
    want: "k zset m=7",
  },
  {
    rule: "a list is as the site that changed it last has it",
    before: ["RPUSH k a"],
    first: ["RPUSH k b"],
    second: ["RPUSH k c"],
    want: "k list a,c",
  },
  {
    rule: "of two types at once the one written last stays",
    first: ["SADD k m"],
    second: ["HSET k m 1"],
    want: "k hash m=1",
  },
  {
    rule: "a key that takes the place of another type loses against a later write of that type, and what was there is gone",
    before: ["SADD k m"],
    first: ["SET k a"],
    second: ["SADD k n"],
    want: "k set n",
  },
  {
    rule: "of two times of expiry set at once the later one counts",
    before: ["SET k a"],
    first: ["PEXPIREAT k 9000"],
    second: ["PEXPIREAT k 7000"],
    want: "k string a 9000",
  },
  {
    rule: "of two strings that are written with a time at once, the later one stays with its time",
    first: ["SET k a", "PEXPIREAT k 9000"],
    second: ["SET k b", "PEXPIREAT k 7000"],
    want: "k string b 7000",
  },
  {
    rule: "a string that is written with a time beside an earlier one without keeps its time",
    first: ["SET k a"],
    second: ["SET k b", "PEXPIREAT k 7000"],
    want: "k string b 7000",
  },
  {
    rule: "a key that one site keeps for ever does not expire by another one",
    before: ["SET k a", "PEXPIREAT k 7000"],
    first: ["PERSIST k"],
    second: ["PEXPIREAT k 9000"],
    want: "k string a",
  },
  {
    rule: "a value written beside a new time of expiry has none",
    before: ["SET k a"],
    first: ["PEXPIREAT k 9000"],
    second: ["SET k b"],
    want: "k string b",
  },
  {
    rule: "sums stay within 64 bits",
    before: [`SET k ${2n ** 63n - 2n}`],
    first: ["INCRBY k 1"],
    second: ["SET k 7"],
    want: "k string 7",
  },
];

for (const { rule, before = [], first, second, want, behind = 0 } of cases) {
  test(rule, () => {
    const sites = new Sites(2, (site) => (site === 2 ? -behind : 0), Infinity);
    const [a, b] = sites.places;
    const write = (place: typeof a, commands: readonly string[]): void => {
      for (const command of commands) {
        sites.write(place, command.split(" "));
        while (sites.work(place) || sites.capture(place)); // to the end of its own stream
      }
    };
    write(a, before);
    sites.settle();
    for (const link of sites.links) sites.cut(link, true);
    write(a, first);
    write(b, second);
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), want);
  });
}

test("increments on both sides of a partition add up to what was acknowledged", () => {
  const sites = new Sites(3, () => 0, Infinity);
  for (const link of ["1>3", "3>1", "2>3", "3>2"]) sites.cut(link, true);
  let sum = 0;
  for (let round = 1; round <= 200; round += 1) {
    const place = sites.places[round % 3];
    if (sites.write(place, ["INCRBY", "k", String(round)])) sum += round;
    sites.deliver("1>2");
    if (round % 2 === 0) sites.work(sites.places[(round + 1) % 3]);
    if (round % 5 === 0) sites.capture(place);
  }
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), `k string ${sum}`);
});

test("what a site did before it applied an operation has not seen it, although its process ended in between", () => {
  const sites = new Sites(2, () => 0, Infinity);
  const [a, b] = sites.places;
  sites.write(a, ["SADD", "k", "m"]);
  sites.settle();
  sites.write(b, ["SADD", "k", "n"]);
  sites.capture(b);
  sites.work(b);
  sites.write(a, ["DEL", "k"]);
  sites.deliver("2>1");
  sites.work(a);
  sites.crash(a);
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), "k set n");
});

test("what a client does to one member of a key is not disturbed by what another site does to another one", () => {
  const sites = new Sites(2, () => 0, Infinity);
  const [a, b] = sites.places;
  sites.write(a, ["SADD", "k", "m"]);
  sites.settle();
  sites.write(b, ["SADD", "k", "n"]);
  while (sites.capture(b) || sites.work(b));
  sites.deliver("2>1");
  sites.write(a, ["SREM", "k", "m"]);
  sites.capture(a); // while the addition of the other member is under way
  sites.work(a);
  while (sites.capture(a));
  sites.write(a, ["SADD", "k", "m"]);
  while (sites.work(a)); // nothing of this rests on what the client has written before
  sites.write(a, ["SREM", "k", "m"]);
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), "k set n");
});

for (const end of ["goes on", "has begun again"])
  test(`the last element takes a time of expiry with it that all sites had agreed on, at a site that ${end}`, () => {
    const sites = agreedOn(["SADD", "k", "m"], ["PEXPIREAT", "k", "9000"]);
    const [a, b] = sites.places;
    sites.save(a);
    sites.settle();
    assert.equal(a?.site.keys.count, 0);
    if (end === "has begun again") sites.crash(a);
    sites.settle();
    for (const link of sites.links) sites.cut(link, true);
    sites.write(a, ["SREM", "k", "m"]);
    sites.write(b, ["SADD", "k", "n"]);
    sites.settle();
    for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), "k set n");
  });

test("a time of expiry stays where a transaction adds a field before it removes the only other one", () => {
  const sites = agreedOn(["HSET", "k", "m", "1"], ["PEXPIREAT", "k", "9000"]);
  sites.write(sites.places[0], ["HSET", "k", "m", "2"], ["HSET", "k", "n", "1"], ["HDEL", "k", "m"]);
  sites.settle();
  for (const { engine } of sites.places) assert.equal(engine.digest().trimEnd(), "k hash n=1 9000");
});

/** Two sites that remember nothing of what the first has written, since both have it. */
function agreedOn(...commands: readonly (readonly string[])[]): Sites {
  const sites = new Sites(2, () => 0, Infinity);
  for (const command of commands) sites.write(sites.places[0], command);
  for (let round = 0; round < 3; round += 1) {
    sites.settle();
    for (const place of sites.places) sites.beat(place);
  }
  return sites;
}
