import assert from "node:assert/strict";
import { seededDice } from "../world/chaos.ts";
import { ModelEngine } from "./model-engine.ts";
import { commandOf } from "./schedule.ts";
import type { Entry, Place } from "./place.ts";
import { Sites } from "./sites.ts";

const STEPS = 250;
const SKEW_MS = 300_000;

/**
 * Plays a random schedule of sites with different numbers of shards, of which each has one or several slices: writes, also over several slices at
 * once, removals of all keys, late streams, repeated operations, partitions, crashes of the links of single slices, keys that expire, and wrong clocks.
 * Throws unless all sites come to the same, and each increment counts once.
 */
export function slicedConverges(seed: number): void {
  const dice = seededDice(seed);
  const below = (count: number): number => Math.floor(dice() * count);
  const one = <T>(first: T, ...others: readonly T[]): T => [first, ...others][below(others.length + 1)] ?? first;
  const [ofSites, slices] = [2 + below(2), 1 + below(4)];
  const worlds = Array.from(
    { length: slices },
    () => new Sites(ofSites, () => below(2 * SKEW_MS) - SKEW_MS, one(0, 500, Infinity)),
  );
  const shards = shardsOf(worlds, ofSites, () => 1 + below(slices));
  const hasFlushes = below(3) === 0;
  let sum = 0;
  const count = (): void => {
    const [at, by] = [shards[below(shards.length)], 1 + below(9)];
    if (!hasFlushes && at?.has("sum") === true && at.write([["INCRBY", "sum", String(by)]])) sum += by;
  };
  const chosen: Chosen = {
    below,
    one,
    world: () => worlds[below(worlds.length)],
    shard: () => shards[below(shards.length)],
  };
  const actions = [count, ...ofClients(chosen, hasFlushes), ...ofEngines(chosen), ...ofLinks(chosen)];
  for (let step = 0; step < STEPS; step += 1) actions[below(actions.length)]?.();
  assertSame(worlds, shards, seed);
  if (hasFlushes) return;
  const held = shards.filter((one) => one.has("sum")).map(({ engine }) => engine.read("sum"));
  for (const value of held)
    assert.equal(value, sum === 0 ? undefined : String(sum), `seed ${seed}: no increment is lost or counts twice`);
}

interface Chosen {
  readonly below: (count: number) => number;
  readonly one: <T>(first: T, ...others: readonly T[]) => T;
  readonly world: () => Sites | undefined;
  readonly shard: () => ModelShard | undefined;
}

type Action = () => void;

function times(count: number, action: Action): readonly Action[] {
  return Array.from({ length: count }, () => action);
}

/** Commands that a shard has all keys of. */
function ofClients({ below, one, shard }: Chosen, hasFlushes: boolean): readonly Action[] {
  const write = (...commands: readonly (readonly string[])[]): void => {
    const at = shard();
    const own = commands.filter(([name, key = ""]) => name === "FLUSHDB" || at?.has(key) === true);
    if (own.length > 0) at?.write(own);
  };
  return [
    ...times(4, () => write(commandOf(one))),
    () => write(...Array.from({ length: 2 + below(4) }, () => commandOf(one))),
    () => {
      if (hasFlushes && below(3) === 0) write(["FLUSHDB"]);
    },
  ];
}

function ofEngines({ below, world }: Chosen): readonly Action[] {
  const at = (act: (sites: Sites, place: Place | undefined) => void): Action => {
    return () => {
      const sites = world();
      if (sites !== undefined) act(sites, sites.places[below(sites.places.length)]);
    };
  };
  return [
    ...times(
      6,
      at((sites, place) => void sites.work(place)),
    ),
    ...times(
      8,
      at((sites, place) => void sites.capture(place)),
    ),
    at((sites, place) => {
      if (below(3) === 0) sites.beat(place);
      if (below(5) === 0) sites.save(place);
    }),
    at((sites, place) => {
      if (below(4) === 0) sites.crash(place);
    }),
    at((sites, place) => {
      place?.engine.lapse();
      if (below(2) === 0) sites.expire(place);
    }),
  ];
}

function ofLinks({ below, world }: Chosen): readonly Action[] {
  const at = (act: (sites: Sites, link: string) => void): Action => {
    return () => {
      const sites = world();
      if (sites !== undefined) act(sites, sites.links[below(sites.links.length)] ?? "");
    };
  };
  return [
    ...times(
      4,
      at((sites, link) => void sites.deliver(link, below(5) === 0)),
    ),
    at((sites, link) => sites.cut(link, below(2) === 0)),
    at((sites, link) => {
      if (below(3) === 0) sites.exchange.resend(link);
    }),
  ];
}

/** A shard of a site: an engine with the slices of that site which it has. */
interface ModelShard {
  readonly site: number;
  readonly engine: ModelEngine;
  has(key: string): boolean;
  /** True when one of the commands changed something. */
  write(commands: readonly (readonly string[])[]): boolean;
}

function shardsOf(worlds: readonly Sites[], ofSites: number, count: () => number): readonly ModelShard[] {
  const sliceOf = (key: string): number =>
    Array.from(key, (each) => each.charCodeAt(0)).reduce((a, b) => a + b, 0) % worlds.length;
  return Array.from({ length: ofSites }, (_, at) => at).flatMap((at) => {
    const shards = count();
    return Array.from({ length: shards }, (__, shard): ModelShard => {
      const own = worlds.flatMap((sites, slice) => {
        const place = sites.places[at];
        if (slice % shards !== shard || place === undefined) return [];
        place.holds = (key) => sliceOf(key) === slice;
        return [{ sites, place }];
      });
      const engine = shareEngine(own.map(({ place }) => place));
      const [first] = own;
      return {
        site: at,
        engine,
        has: (key) => own.some(({ place }) => place.holds?.(key) === true),
        write: (commands) => first?.sites.write(first.place, ...commands) === true,
      };
    });
  });
}

/** These places have one engine from now on. Each reads all of its stream: what another one had it do is of keys that are not its own. */
function shareEngine(places: readonly Place[]): ModelEngine {
  const engine = new ModelEngine();
  for (const place of places) {
    const { stream } = place;
    place.engine = engine;
    stream.push = (...entries) => {
      for (const other of places)
        for (const entry of entries)
          Array.prototype.push.call(other.stream, other === place ? entry : seenByOthers(entry));
      return stream.length;
    };
  }
  return engine;
}

function seenByOthers(entry: Entry): Entry {
  return { kind: "commands", commands: "commands" in entry ? entry.commands : [] };
}

function assertSame(worlds: readonly Sites[], shards: readonly ModelShard[], seed: number): void {
  // what the link of one slice does shows in the streams of others
  const settle = (): void => {
    for (const sites of [...worlds, ...worlds]) sites.settle();
  };
  settle();
  const ids = [...new Set(shards.map(({ site }) => site))];
  const digests = ids.map((id) =>
    shards
      .flatMap(({ site, engine }) => (site === id ? engine.digest().split("\n") : []))
      .filter((line) => line !== "")
      .toSorted(),
  );
  for (const digest of digests) assert.deepEqual(digest, digests[0], `seed ${seed}`);
  const places = worlds.flatMap((sites) => sites.places.map((place) => ({ sites, place })));
  for (let round = 0; places.some(({ place }) => place.site.hasUnsaid); round += 1) {
    assert.ok(round < 4, `seed ${seed}: sites never end to say what they have seen`);
    for (const { sites, place } of places) if (place.site.hasUnsaid) sites.beat(place);
    settle();
  }
  for (const { sites, place } of places) sites.exchange.tell(place);
  for (const { place } of places) {
    place.site.forgetAgreed();
    assert.equal(place.site.keys.count, 0, `seed ${seed}: something is remembered of keys that all sites agree on`);
    assert.equal(place.site.kept.bytes, 0, `seed ${seed}: operations are kept that all sites have`);
  }
}
