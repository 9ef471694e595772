import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { cameLater, numberSites, siteNumber } from "./numbers.ts";
import { joinedRecord } from "./record.ts";

const first: ActiveActiveRecord = {
  guid: "a",
  name: "carts",
  version: "8.0",
  participants: [{ name: "east" }, { name: "west" }],
  configuration: {},
  edit: { count: 1, author: "east" },
};

test("numbers of sites: those of an older release have the numbers of their places", () => {
  assert.deepEqual(numbersOf(first), { east: 1, west: 2 });
});

test("numbers of sites: one that left gives its number to none, also not to itself when it is back", () => {
  const left = edited(numberSites(first), 2, ["west"]);
  const joined = edited(numberSites(left), 3, ["west", "north"]);
  const back = edited(numberSites(joined), 4, ["east", "north", "west"]);
  assert.deepEqual(numbersOf(joined), { west: 2, north: 3 });
  assert.deepEqual(numbersOf(back), { east: 4, north: 3, west: 2 });
});

test("numbers of sites: of two edits at once the numbers of the one that gives way are gone", () => {
  const here = numberSites(edited(numberSites(first), 2, ["east", "west", "north"], "east"));
  const there = numberSites(edited(numberSites(first), 2, ["east", "west", "south"], "west"));
  assert.deepEqual(numbersOf(joinedRecord(here, there)), { east: 1, west: 2, south: 3 });
});

test("numbers of sites: an edit by an older release keeps those that were given", () => {
  const { numbers: _numbers, ...older } = edited(numberSites(first), 2, ["west", "north"]);
  const joined = joinedRecord(older, numberSites(first));
  assert.deepEqual(numbersOf(joined), { west: 2, north: 3 });
  assert.deepEqual(numberSites(joined).numbers.next, 4);
});

test("numbers of sites: the sixty-fourth has none", () => {
  const full = { ...first, numbers: { next: 63, given: [{ name: "east", id: 62 }], edit: first.edit } };
  assert.deepEqual(numbersOf(edited(full, 2, ["east", "west", "north"])), { east: 62, west: 63, north: undefined });
});

test("numbers of sites: those of the first participants stay the first, and every later one came later", () => {
  const joined = edited(numberSites(edited(numberSites(first), 2, ["west"])), 3, ["east", "west", "north"]);
  const lateness = Object.entries(numbersOf(joined)).map(([name, id]) => [name, cameLater(joined, Number(id))]);
  assert.deepEqual(Object.fromEntries(lateness), { east: true, west: false, north: true });
  assert.equal(numberSites(joined).numbers.first, 2);
});

test("numbers of sites: where it is not known which were first, all that have been given are", () => {
  const { first: _first, ...unknown } = numberSites(first).numbers;
  const joined = edited({ ...first, numbers: unknown }, 2, ["east", "west", "north"]);
  assert.deepEqual(
    [1, 2, 3].map((site) => cameLater({ ...first, numbers: unknown }, site)),
    [false, false, true],
  );
  assert.deepEqual(
    [1, 2, 3].map((site) => cameLater(joined, site)),
    [false, false, true],
  );
});

function edited(
  record: ActiveActiveRecord,
  count: number,
  names: readonly string[],
  author = "east",
): ActiveActiveRecord {
  return { ...record, participants: names.map((name) => ({ name })), edit: { count, author } };
}

function numbersOf(record: ActiveActiveRecord): object {
  return Object.fromEntries(record.participants.map(({ name }) => [name, siteNumber(record, name)]));
}
