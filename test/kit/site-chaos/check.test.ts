import assert from "node:assert/strict";
import { test } from "node:test";
import { brokenRules } from "./check.ts";
import { siteScheduleOf, SITES } from "./schedule.ts";
import type { Held, Session, SiteWrite, Written } from "./writes.ts";

interface Case {
  readonly rule: string;
  /** What each site has written, one after the other; those of different sites one after the other too. */
  readonly sessions: readonly (readonly (
    Written | { readonly unknown: Written } | { readonly lost: Written } | { readonly atOnce: Written }
  )[])[];
  readonly keys: Readonly<Record<string, Held>>;
  /** What is wrong. */
  readonly want?: RegExp;
}

const KIND = { length: "short", power: true } as const;
const OWN = { type: "hash", key: "h", element: "f" } as const;
const PLACE = { type: "string", key: "r", element: "" } as const;
const sum: Written = { kind: "sum", name: "a", by: 3, member: "1:1" };
const added: Written = { kind: "added", key: "s", element: "m" };
const removed: Written = { kind: "removed", key: "s", element: "m" };
const own = (value: string | undefined): Written => ({ kind: "own", place: OWN, value });
const register = (value: string, replaced?: string): Written => ({ kind: "register", place: PLACE, value, replaced });
const pushed = (value: string): Written => ({ kind: "pushed", key: "l", value });
const counted = { "sum:a": "3", sums: new Map([["a", "3"]]), scores: new Map([["a", "3"]]), log: ["1:1"] };

const CASES: readonly Case[] = [
  { rule: "increments add up", sessions: [[sum]], keys: counted },
  { rule: "one that is lost is found", sessions: [[sum]], keys: {}, want: /1:1 is lost/ },
  { rule: "one that may be lost may be", sessions: [[{ unknown: sum }]], keys: {} },
  { rule: "one that counts twice is found", sessions: [[sum]], keys: { ...counted, "sum:a": "6" }, want: /is 6/ },
  {
    rule: "what one site writes is as it wrote it last",
    sessions: [[own("1"), own("2")]],
    keys: { h: new Map([["f", "2"]]) },
  },
  {
    rule: "an older value is found",
    sessions: [[own("1"), own("2")]],
    keys: { h: new Map([["f", "1"]]) },
    want: /is 1/,
  },
  {
    rule: "before one that may be lost it is right",
    sessions: [[own("1"), { unknown: own("2") }]],
    keys: { h: new Map([["f", "1"]]) },
  },
  {
    rule: "what comes back is found",
    sessions: [[own("1"), own(undefined)]],
    keys: { h: new Map([["f", "1"]]) },
    want: /is 1/,
  },
  {
    rule: "what a power cut has taken may come back over a removal that has not seen it",
    sessions: [[{ lost: own("1") }, own(undefined)]],
    keys: { h: new Map([["f", "1"]]) },
  },
  {
    rule: "so it may when another value was there meanwhile",
    sessions: [[{ lost: own("1") }, own("2"), own(undefined)]],
    keys: { h: new Map([["f", "1"]]) },
  },
  {
    rule: "what a power cut has taken does not come back over a later value",
    sessions: [[{ lost: own("1") }, own("2")]],
    keys: { h: new Map([["f", "1"]]) },
    want: /is 1/,
  },
  {
    rule: "a member that a power cut has taken may come back over a removal",
    sessions: [[{ lost: added }, removed]],
    keys: { s: ["m"] },
  },
  { rule: "a session without a time is found", sessions: [[]], keys: { "session:1": "v" }, want: /no time of expiry/ },
  {
    rule: "a limiter that stays is found",
    sessions: [[]],
    keys: { "limiter:1": "1" },
    want: /is still there, until ever/,
  },
  {
    rule: "a list has all in its order",
    sessions: [[pushed("1"), { unknown: pushed("2") }, pushed("3")]],
    keys: { l: ["1", "3"] },
  },
  {
    rule: "an element that is there twice is found",
    sessions: [[pushed("1")]],
    keys: { l: ["1", "1"] },
    want: /2 elements/,
  },
  { rule: "a register has one of the last values", sessions: [[register("1")], [register("2")]], keys: { r: "1" } },
  {
    rule: "a value that another site had seen is found",
    sessions: [[register("1")], [register("2", "1")]],
    keys: { r: "1" },
    want: /after it/,
  },
  {
    rule: "a value that its own site has written over is found",
    sessions: [[register("1"), register("2")]],
    keys: { r: "1" },
    want: /after it/,
  },
  {
    rule: "a value that no client has written is found",
    sessions: [[register("1")]],
    keys: { r: "9" },
    want: /never written/,
  },
  { rule: "a member added after each removal stays", sessions: [[removed], [added]], keys: {}, want: /lacks m/ },
  {
    rule: "a member added beside a removal may stay or not",
    sessions: [[{ atOnce: removed }], [{ atOnce: added }]],
    keys: {},
  },
  {
    rule: "a member that its site has removed is gone",
    sessions: [[added, removed]],
    keys: { s: ["m"] },
    want: /has m/,
  },
  {
    rule: "a key that is deleted takes its members along",
    sessions: [[added, { kind: "deleted", key: "s" }]],
    keys: { s: ["m"] },
    want: /has m/,
  },
];

for (const { rule, sessions, keys, want } of CASES)
  test(rule, () => {
    let now = 0;
    const played = sessions.map((session): Session => session.map((each, number) => writeOf(each, number, (now += 2))));
    const broken = brokenRules(played, { keys: new Map(Object.entries(keys)), expiries: new Map() }, false);
    if (want === undefined) assert.deepEqual(broken, []);
    else assert.match(broken.join("\n"), want);
  });

test("what expires may have been evicted, and nothing else may be gone", () => {
  const place = { type: "hash", key: "session:1", element: "f" } as const;
  const nothing = { keys: new Map(), expiries: new Map() };
  const of = (written: Written): readonly string[] =>
    [true, false].flatMap((haveEvicted) => brokenRules([[writeOf(written, 1, 1)]], nothing, haveEvicted));
  assert.equal(of({ kind: "own", place, value: "1" }).length, 1);
  assert.equal(of(own("1")).length, 2);
});

test("a seed plays the same each time, upgrades every site, and has three different engines and both latencies", () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const schedule = siteScheduleOf(seed, KIND);
    assert.deepEqual(schedule, siteScheduleOf(seed, KIND));
    const upgraded = schedule.acts.flatMap(({ act }) => (act.kind === "upgrade" ? act.site : []));
    assert.deepEqual(upgraded.toSorted(), [...SITES]);
    assert.equal(new Set(schedule.engines.map(([first]) => first)).size, SITES.length);
    assert.deepEqual([...new Set(Object.values(schedule.latencyMs))].toSorted(), [20, 80]);
  }
});

test("seeds cut the power of one site, of two and of all at once, where it is asked for", () => {
  const cutsOf = (seed: number, power: boolean) =>
    siteScheduleOf(seed, { ...KIND, power }).acts.filter(({ act }) => act.kind === "power");
  const seeds = Array.from({ length: 50 }, (_, index) => index + 1);
  const counts = seeds.map((seed) => cutsOf(seed, true)).map((cuts) => cuts.length);
  assert.deepEqual([...new Set(counts)].toSorted(), [0, 1, 2, 3]);
  for (const seed of seeds) {
    assert.equal(new Set(cutsOf(seed, true).map(({ fromMs }) => fromMs)).size <= 1, true);
    assert.deepEqual(cutsOf(seed, false), []);
  }
});

function writeOf(each: Case["sessions"][number][number], number: number, now: number): SiteWrite {
  const sent = { number, began: now, ended: now + 1 };
  if ("unknown" in each) return { ...sent, outcome: "unknown", written: each.unknown };
  if ("lost" in each) return { ...sent, outcome: "lost", written: each.lost };
  if ("atOnce" in each) return { ...sent, began: 0, ended: 1_000, outcome: "acknowledged", written: each.atOnce };
  return { ...sent, outcome: "acknowledged", written: each };
}
