import assert from "node:assert/strict";
import { test } from "node:test";
import { Sites } from "../../../test/kit/merge/sites.ts";
import { seededDice } from "../../../test/kit/world/chaos.ts";

/** One key, and all that gives it a value, a type or a time; with ";" between: in one transaction. */
const WRITES = [
  ...["SET k 1", "SET k 2;PEXPIREAT k 9000000005", "SET k 3 KEEPTTL", "SET k 4;PEXPIREAT k 9000000009", "APPEND k 7"],
  ...["PEXPIREAT k 9000000007", "PERSIST k", "DEL k", "INCRBY k 1", "SET k 5 KEEPTTL;INCRBY k 2"],
  ...["HSET k m 1", "SADD k x"],
];
/** How far the clock of each site is off, in milliseconds. */
const SKEW = [0, 250_000, -250_000];
const ROUNDS = 25;

for (const [sites, seeds] of [
  [2, 150],
  [3, 100],
] as const)
  test(`${sites} sites that write one key for a moment hold the same after each of ${seeds * ROUNDS} moments`, () => {
    for (let seed = 1; seed <= seeds; seed += 1) play(sites, seed);
  });

/** Some steps in any order, then all that is under way arrives, and so on: what is agreed on is forgotten now and then. */
function play(count: number, seed: number): void {
  const dice = seededDice(seed);
  const below = (limit: number): number => Math.floor(dice() * limit);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)];
    assert.ok(one !== undefined);
    return one;
  };
  const sites = new Sites(count, (index) => SKEW[index] ?? 0, Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    const steps: string[] = [];
    for (let left = 2 + below(8); left > 0; left -= 1) {
      const [place, chance] = [pick(sites.places), below(8)];
      const commands = pick(WRITES);
      steps.push(`${place.id}: ${chance < 3 ? commands : chance}`);
      if (chance < 3) sites.write(place, ...commands.split(";").map((command) => command.split(" ")));
      else if (chance < 5) sites.work(place);
      else if (chance < 7) sites.capture(place);
      else sites.deliver(pick(sites.links));
    }
    sites.settle();
    const [first, ...others] = sites.places.map(({ engine }) => engine.digest());
    for (const other of others) assert.equal(other, first, `seed ${seed}, round ${round}: ${steps.join(" | ")}`);
    if (below(4) === 0) agree(sites);
  }
}

function agree(sites: Sites): void {
  for (let beat = 0; beat < 3; beat += 1) {
    for (const place of sites.places) sites.beat(place);
    sites.settle();
    for (const place of sites.places) {
      sites.exchange.tell(place);
      place.site.forgetAgreed();
    }
  }
}
