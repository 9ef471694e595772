import assert from "node:assert/strict";
import { seededDice } from "../world/chaos.ts";
import { Limiters } from "./limiters.ts";
import type { Place } from "./place.ts";
import { Sites } from "./sites.ts";

const ROUNDS = 3;
/** How many steps a round has before everything arrives. */
const STEPS = 60;
/** When each key expires that a round begins with. */
const UNTIL = 9_000_000_001;
const KEYS = ["string", "hash", "set", "zset"];

type Choose = <T>(first: T, ...others: readonly T[]) => T;

/**
 * Plays rounds in which keys that all sites know expire at one site, while others still write them and clients of that site begin them anew; throws unless
 * all that these clients have written is there in the end, at all sites, and each counter that clients give a time has one.
 */
export function keepsLimits(seed: number): void {
  const dice = seededDice(seed);
  const below = (count: number): number => Math.floor(dice() * count);
  const one: Choose = (first, ...others) => [first, ...others][below(others.length + 1)] ?? first;
  const sites = new Sites(2 + below(2), () => 0, Infinity);
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = () => sites.places[below(sites.places.length)];
    const limiters = new Limiters(sites, UNTIL + 1);
    beginTimes(sites, new Limiters(sites, UNTIL));
    sites.keptAlive.clear();
    const anew = place();
    const others = () => one(...(sites.places.filter((each) => each !== anew) as [Place]));
    const written = new Written(sites, anew);
    const isBefore = below(2) === 0; // they write before the time has come here, or after it
    for (let count = below(4); isBefore && count > 0; count -= 1) writeBeside(sites, others(), limiters, one);
    anew?.engine.lapse(UNTIL);
    if (below(4) > 0) sites.expire(anew);
    const actions: readonly (() => void)[] = [
      () => limiters.setTime(below(3)),
      ...Array.from({ length: 4 }, () => () => void sites.work(place())),
      ...Array.from({ length: 4 }, () => () => void sites.capture(place())),
      ...Array.from({ length: 3 }, () => () => void sites.deliver(sites.links[below(sites.links.length)] ?? "")),
      () => sites.beat(place()),
      () => writeBeside(sites, others(), limiters, one),
      () => written.count(limiters),
      () => written.write(one),
      () => {
        const each = others();
        if (below(3) === 0) each.engine.lapse(UNTIL);
        if (below(2) === 0) sites.expire(each);
      },
    ];
    for (let step = 0; step < STEPS; step += 1) actions[below(actions.length)]?.();
    limiters.end();
    sites.settle();
    for (const { engine } of sites.places) {
      assert.equal(engine.digest(), sites.places[0]?.engine.digest(), `seed ${seed}`);
      written.look(engine, `seed ${seed}: `);
    }
    assert.deepEqual(limiters.withoutTime, [], `seed ${seed}: no counter that a client gave a time is without one`);
  }
}

/** Each key is there at all sites, and expires. */
function beginTimes(sites: Sites, limiters: Limiters): void {
  const [first] = sites.places;
  for (const key of [...KEYS, "limit:a", "limit:b"]) sites.write(first, ["DEL", key]);
  sites.write(first, ["INCRBY", "string", "1"]);
  sites.write(first, ["HSET", "hash", "old", "1"]);
  sites.write(first, ["SADD", "set", "old"]);
  sites.write(first, ["ZADD", "zset", "1", "old"]);
  for (const name of ["a", "b"]) limiters.count(first, name);
  for (const key of KEYS) sites.write(first, ["PEXPIREAT", key, String(UNTIL)]);
  limiters.end();
  for (let round = 0; round < 3; round += 1) {
    sites.settle();
    for (const place of sites.places) sites.beat(place);
  }
  sites.settle();
}

/** A client of a site that may not know yet that the key has expired elsewhere. */
function writeBeside(sites: Sites, place: Place, limiters: Limiters, one: Choose): void {
  const [member, by] = [one("m", "n"), one("1", "2", "3")];
  if (one(true, false)) return void limiters.count(place, one("a", "b"));
  sites.write(
    place,
    one(
      ["HINCRBY", "hash", member, by],
      ["SADD", "set", member],
      ["ZINCRBY", "zset", by, member],
      ["INCRBY", "string", by],
    ),
  );
}

/** What clients have written at one site after a key has expired there. */
class Written {
  readonly #sites: Sites;
  readonly #place: Place | undefined;
  /** What has to be shown of a key. */
  readonly #last = new Map<string, RegExp>();
  readonly #counts = new Map<string, number>();

  constructor(sites: Sites, place: Place | undefined) {
    this.#sites = sites;
    this.#place = place;
  }

  write(one: Choose): void {
    const [command, held] = one<readonly [readonly string[], RegExp]>(
      [["HSET", "hash", "m", "1000"], /\bm=1\d{3}\b/],
      [["SADD", "set", "m"], /\bm\b/],
      [["ZADD", "zset", "1000", "m"], /\bm=1\d{3}\b/],
      [["SET", "string", "1000"], /^1\d{3}$/],
    );
    if (this.#sites.write(this.#place, command)) this.#last.set(command[1] ?? "", held);
  }

  count(limiters: Limiters): void {
    const name = this.#counts.size % 2 === 0 ? "a" : "b";
    if (limiters.count(this.#place, name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  look(engine: Place["engine"], where: string): void {
    // what a site keeps alive counts as written there, later than this
    const counts = (key: string): boolean => !this.#sites.keptAlive.has(key);
    for (const [key, held] of this.#last)
      if (counts(key)) assert.match(engine.shows(key), held, `${where}what was written to ${key} is there`);
    for (const [name, count] of this.#counts)
      if (counts(`limit:${name}`))
        assert.ok(Number(engine.shows(`limit:${name}`)) >= count, `${where}what was counted is there`);
  }
}
