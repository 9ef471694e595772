import assert from "node:assert/strict";
import { test } from "node:test";
import { STORE_VERSIONS } from "../../api/records.ts";
import type { StoreVersion } from "../../api/records.ts";
import { chooseEngine, displayVersion, engineText, parseEngine } from "./engines.ts";
import type { EngineIdentity } from "./engines.ts";
import { mayFollow } from "./succession.ts";

const engine = (text: string): EngineIdentity => {
  const parsed = parseEngine(text);
  assert.ok(parsed !== undefined, `${text} names no engine`);
  return parsed;
};
const engines = (...texts: string[]): EngineIdentity[] => texts.map(engine);

const DEBIAN = engines("redis 7.0.15", "valkey 8.0.1", "redis 8.0.2", "valkey 8.1.1");

interface Choice {
  readonly name: string;
  readonly store: StoreVersion;
  readonly found: readonly EngineIdentity[];
  readonly want: string;
}

const choices: readonly Choice[] = [
  { name: "redis of the same major.minor is exact", store: "8.0", found: DEBIAN, want: "8.0 (redis 8.0.2)" },
  { name: "7.2 without redis 7.2 is redis 7.0", store: "7.2", found: DEBIAN, want: "7.2 (stand-in: redis 7.0.15)" },
  { name: "7.4 without redis 7.4 is valkey 8.0", store: "7.4", found: DEBIAN, want: "7.4 (stand-in: valkey 8.0.1)" },
  { name: "8.2 without redis 8.2 is redis 8.0", store: "8.2", found: DEBIAN, want: "8.2 (stand-in: redis 8.0.2)" },
  {
    name: "an exact engine goes before any stand-in",
    store: "7.2",
    found: engines("redis 7.0.15", "valkey 7.2.9", "redis 7.2.4"),
    want: "7.2 (redis 7.2.4)",
  },
  {
    name: "of several patches the newest, number by number",
    store: "8.2",
    found: engines("redis 8.0.2", "redis 8.0.10", "redis 8.0.9"),
    want: "8.2 (stand-in: redis 8.0.10)",
  },
  {
    name: "valkey serves 8.2 where there is no redis 8",
    store: "8.2",
    found: engines("redis 7.0.15", "valkey 8.0.1"),
    want: "8.2 (stand-in: valkey 8.0.1)",
  },
  {
    name: "an engine that is too old serves no store version",
    store: "7.2",
    found: engines("redis 6.0.16"),
    want: "none",
  },
  { name: "redis 7 never stands in for 8.0", store: "8.0", found: engines("redis 7.0.15"), want: "none" },
  { name: "without engines none is chosen", store: "8.0", found: [], want: "none" },
];

for (const { name, store, found, want } of choices)
  test(`chooseEngine: ${name}`, () => {
    const chosen = chooseEngine(store, found);
    assert.equal(chosen === undefined ? "none" : displayVersion(store, chosen.engine), want);
    if (chosen !== undefined) assert.equal(chosen.standIn, want.includes("stand-in"));
  });

const succession: readonly (readonly [from: string, to: string, allowed: boolean])[] = [
  ["redis 7.0.15", "redis 7.0.15", true],
  ["redis 7.0.15", "redict 7.3.6", true],
  ["redis 7.0.15", "redis 8.0.2", true],
  ["redis 7.0.15", "valkey 8.0.1", true],
  ["redis 7.0.15", "valkey 9.1.2", true],
  ["redis 7.2.4", "valkey 8.0.1", true],
  ["redis 7.4.1", "redis 8.0.2", true],
  ["redis 7.4.1", "valkey 8.1.1", false],
  ["redis 8.0.2", "redis 8.0.6", true],
  ["redis 8.0.6", "redis 8.0.2", false],
  ["redis 8.0.2", "valkey 8.1.1", false],
  ["redis 8.0.2", "redict 7.3.6", false],
  ["redis 8.0.2", "redis 7.0.15", false],
  ["valkey 8.0.1", "redis 7.0.15", false],
  ["valkey 8.0.1", "valkey 8.1.1", true],
  ["valkey 8.0.1", "redis 8.0.2", true],
  ["valkey 8.1.1", "valkey 9.1.2", true],
  ["valkey 8.1.1", "valkey 8.0.1", false],
  ["valkey 9.1.2", "redis 8.0.2", false],
  ["redict 7.3.6", "redis 8.0.2", true],
  ["redict 7.3.6", "valkey 8.0.1", false],
];

for (const [from, to, allowed] of succession)
  test(`mayFollow: ${from} ${allowed ? "may be followed by" : "is never followed by"} ${to}`, () => {
    const verdict = mayFollow(engine(from), engine(to));
    assert.equal(verdict.allowed, allowed, verdict.reason);
    assert.ok(verdict.reason.includes(to), verdict.reason);
  });

test("with the engines of Debian, every later store version may follow every earlier one", () => {
  const chosen = STORE_VERSIONS.map((store) => chooseEngine(store, DEBIAN)?.engine ?? engine("missing"));
  for (const [i, from] of chosen.entries())
    for (const to of chosen.slice(i))
      assert.equal(mayFollow(from, to).allowed, true, engineText(from) + " " + engineText(to));
});

test("parseEngine: what is no engine is undefined", () => {
  for (const text of ["", "redis", "keydb 6.3.4", "redis new"]) assert.equal(parseEngine(text), undefined);
});
