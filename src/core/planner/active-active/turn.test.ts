import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareVersionText } from "#kit/base/version";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { numberSites } from "./numbers.ts";
import type { SiteReplication } from "./replication.ts";
import { turnFindings, type SiteDatabase, type TurnFacts } from "./turn.ts";

const names = ["east", "west", "north"];
const record: ActiveActiveRecord = numberSites({
  guid: "a",
  name: "carts",
  version: "8.2",
  participants: names.map((name) => ({ name })),
  configuration: {},
  edit: { count: 1, author: "east" },
});
const at = (...versions: readonly string[]): readonly SiteDatabase[] =>
  versions.map((version, index) => ({ name: names[index] ?? "", version, isLinked: true }));
const unlinked = (...without: readonly string[]): readonly SiteDatabase[] =>
  at("8.0", "8.0", "8.0").map((one) => ({ ...one, isLinked: !without.includes(one.name) }));
const up = (name: string): SiteReplication => {
  return { name, state: "up", since: undefined, cause: "", behindMs: 0, unconfirmedMs: 40 };
};
const linked = (...sites: readonly SiteReplication[]) => ({ cause: "", awaitsSites: false, sites });
const allUp = linked(...names.map(up));
const eastDone = at("8.2", "8.0", "8.0");

const cases: readonly (readonly [rule: string, change: Partial<TurnFacts>, awaits: RegExp | undefined])[] = [
  ["of equal sites the first one begins", { self: "east" }, undefined],
  ["the second one waits for it, and says so", {}, /^OtherSiteFirst "east" serves 8\.0, and upgrades before this site/],
  ["the third one names the one whose turn it is", { self: "north" }, /^OtherSiteFirst "east"/],
  ["the second one begins when the first one has the version", { databases: eastDone }, undefined],
  ["the third one waits for the second one then", { self: "north", databases: eastDone }, /^OtherSiteFirst "west"/],
  ["the site with the lowest version begins, whatever its number", { databases: at("8.0", "7.4", "8.0") }, undefined],
  ["and the first one waits for it", { self: "east", databases: at("8.0", "7.4", "8.0") }, /"west" serves 7\.4/],
  ["a site that has the version awaits nothing", { databases: at("8.0", "8.2", "8.0"), link: undefined }, undefined],
  ["a site without a database keeps none back", { databases: at("8.2", "8.0") }, undefined],
  ["a site that is to have its first database awaits nothing", { databases: at("8.0") }, undefined],
  ["it begins when a user says so, whichever site comes before", { now: "8.2" }, undefined],
  ["what a user said of an earlier version counts no more", { now: "8.0" }, /^OtherSiteFirst/],
  [
    "it waits while a site is down, with the cause and a way out",
    {
      databases: eastDone,
      link: linked({ ...up("east"), state: "down", cause: "no answer" }, up("north")),
    },
    /^SitesApart "east" is down: no answer; to .* without waiting: kubectl annotate reaadb carts .*upgrade-now=8\.2$/,
  ],
  [
    "it waits until it has what the one before has written",
    { databases: eastDone, link: linked({ ...up("east"), behindMs: 61_200 }, up("north")) },
    /^SitesApart this site has not caught up with "east" for 61 s/,
  ],
  [
    "it waits until every other site has what it has written itself",
    { databases: eastDone, link: linked(up("east"), { ...up("north"), unconfirmedMs: undefined }) },
    /^SitesApart "north" has not caught up with this site;/,
  ],
  ["it waits while nothing is captured", { databases: eastDone, link: { ...allUp, cause: "no room" } }, /no room/],
  ["it waits while its link says nothing", { databases: eastDone, link: undefined }, /does not say how its link is/],
  [
    "a site that is not linked waits neither for a turn nor for data",
    { databases: unlinked("west"), link: undefined },
    undefined,
  ],
  [
    "one that is linked does not wait for one that is not, whichever comes first",
    { databases: unlinked("east"), link: linked(up("north")) },
    undefined,
  ],
];

for (const [rule, change, awaits] of cases) {
  test(`turn of a site: ${rule}`, () => {
    const facts = { record, self: "west", databases: at("8.0", "8.0", "8.0"), link: allUp, now: undefined, ...change };
    const [first] = turnFindings(facts).map(({ id, evidence, remedy }) => `${id} ${evidence}; ${remedy}`);
    if (awaits === undefined) assert.equal(first, undefined);
    else assert.match(first ?? "", awaits);
  });
}

test("turn of a site: no two sites upgrade at once, also by old answers, and all come to the highest version", () => {
  const version = fc.constantFrom("7.2", "7.4", "8.0", "8.2");
  const move = fc.record({ site: fc.nat(2), asks: fc.nat(2), raises: fc.option(version), ends: fc.boolean() });
  const schedule = fc.tuple(fc.array(version, { minLength: 3, maxLength: 3 }), fc.array(move, { maxLength: 60 }));
  fc.assert(
    fc.property(schedule, ([begin, moves]) => {
      const sites = new Sites(begin);
      for (const { site, asks, raises, ends } of moves) {
        if (raises !== null) sites.raise(raises);
        sites.ask(site, asks);
        sites.pass(site);
        if (ends) sites.end(asks);
      }
      sites.drain();
    }),
    { numRuns: 1_000 },
  );
});

/** Three sites, each with what it saw last of the others and of the version that is asked for. */
class Sites {
  readonly #serves: string[];
  readonly #begun: (string | undefined)[] = [undefined, undefined, undefined];
  readonly #seen: { wanted: string; readonly versions: string[] }[];
  #wanted: string;

  constructor(begin: readonly string[]) {
    this.#serves = [...begin];
    this.#wanted = begin.reduce(higher);
    this.#seen = begin.map(() => ({ wanted: this.#wanted, versions: [...begin] }));
  }

  raise(version: string): void {
    this.#wanted = higher(this.#wanted, version);
  }

  /** What the one reads of the other, now. */
  ask(site: number, other: number): void {
    const seen = this.#seen[site];
    assert.ok(seen !== undefined);
    seen.versions[other] = this.#serves[other] ?? "";
    seen.wanted = this.#wanted;
  }

  /** The own cluster is always asked anew; the version that is asked for is as old as the last answer. */
  pass(site: number): void {
    const seen = this.#seen[site];
    assert.ok(seen !== undefined);
    const versions = seen.versions.with(site, this.#serves[site] ?? "");
    const facts = { record: { ...record, version: seen.wanted }, databases: at(...versions), link: allUp };
    const isBehind = (compareVersionText(this.#serves[site] ?? "", seen.wanted) ?? 0) < 0;
    if (!isBehind || turnFindings({ ...facts, self: names[site] ?? "", now: undefined }).length > 0) return;
    this.#begun[site] = seen.wanted;
    const upgrading = this.#begun.filter((version) => version !== undefined);
    assert.equal(upgrading.length, 1, JSON.stringify([this.#serves, this.#begun, seen]));
  }

  end(site: number): void {
    this.#serves[site] = this.#begun[site] ?? this.#serves[site] ?? "";
    this.#begun[site] = undefined;
  }

  /** Everything ends and is asked for, again and again. */
  drain(): void {
    const all = [0, 1, 2];
    for (const _ of all) {
      for (const site of all) {
        this.end(site);
        for (const other of all) this.ask(other, site);
      }
      for (const site of all) this.pass(site);
    }
    for (const site of all) this.end(site);
    assert.deepEqual(
      this.#serves,
      all.map(() => this.#wanted),
    );
  }
}

function higher(a: string, b: string): string {
  return (compareVersionText(a, b) ?? 0) >= 0 ? a : b;
}
