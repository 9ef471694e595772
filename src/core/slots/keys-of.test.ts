import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { KEYS_BY_PLACE } from "./key-places.ts";
import { keysOf, mayNameSeveralKeys } from "./keys-of.ts";

/** Requests whose keys stand where it takes more than a place to find them. */
const REQUESTS = [
  "SORT k",
  "SORT k STORE a STORE b",
  "SORT k BY store GET limit STORE d",
  "SORT k LIMIT 0 10 GET store STORE d",
  "SORT_RO k BY store GET x",
  "GEORADIUS k 1 2 3 m COUNT 2 ANY STORE d",
  "GEORADIUS k 1 2 3 m WITHDIST",
  "GEORADIUSBYMEMBER store m 1 km ASC STOREDIST d",
  "XREAD STREAMS streams block 0 0",
  "XREAD COUNT 1 BLOCK 5 STREAMS s 0",
  "XREADGROUP GROUP streams c COUNT 2 STREAMS s t > >",
  "EVAL return 0",
  "EVAL return 2 a b x y",
  "BITOP AND d a b c",
  "SINTERCARD 2 a b LIMIT 1",
  "ZUNIONSTORE d 2 a b WEIGHTS 1 2",
  "BLPOP a b c 0",
  "BZMPOP 0 2 a b MIN",
  "MSET a 1 b 2 c 3",
  "LCS a b LEN",
  "XINFO STREAM s",
  "MEMORY USAGE k SAMPLES 5",
  "PING",
  "KEYS *",
];

/** Requests of which no engine would execute anything. */
const MALFORMED = [
  "EVAL return 2 a",
  "EVAL return x a",
  "EVAL return -1 a",
  "ZUNIONSTORE d 3 a",
  "XREAD STREAMS a b 0",
  "XREAD BLOCK",
];

for (const engine of engineNames())
  test(`the keys of requests are those that ${engine} finds`, async () => {
    await using started = await startEngine({ engine });
    const requests = [...REQUESTS, ...(await examplesOf(started.call))].map((request) => request.split(" "));
    const expected = await Promise.all(
      requests.map(async (request) => started.call("COMMAND", "GETKEYS", ...request).catch(() => [])),
    );
    assert.deepEqual(
      requests.map((request) => [request.join(" "), keysIn(request)]),
      requests.map((request, i) => [request.join(" "), expected[i]]),
    );
  });

for (const request of MALFORMED)
  test(`${request} has no keys that could be found`, () => {
    assert.equal(keysIn(request.split(" ")), undefined);
  });

test("a request may name more keys than a call of a function takes", () => {
  const keys = Array.from({ length: 130_000 }, (_, i) => `k${i}`);
  assert.equal(keysIn(["SINTER", ...keys])?.length, keys.length);
  assert.equal(keysIn(["EVAL", "return 1", "130000", ...keys, "x"])?.at(-1), keys.at(-1));
});

test("a command names several keys when its place or its grammar lets it", () => {
  const several = ["MGET", "RENAME", "LCS", "EVAL", "SORT", "ZUNIONSTORE", "XREAD"];
  assert.deepEqual(
    several.filter((name) => !mayNameSeveralKeys(name)),
    [],
  );
  assert.deepEqual(["GET", "XINFO|STREAM", "SORT_RO", "PING", "NOSUCH"].filter(mayNameSeveralKeys), []);
});

/** A request of each command of the table that this engine knows, with two keys where it takes them. */
async function examplesOf(call: (...args: readonly string[]) => Promise<unknown>): Promise<readonly string[]> {
  const examples: string[] = [];
  for (const name of Object.values(KEYS_BY_PLACE).flatMap((names) => names.split(" "))) {
    const [info] = (await call("COMMAND", "INFO", name)) as readonly unknown[];
    if (!Array.isArray(info)) continue;
    const arity = Number(info[1]);
    const words = [...name.split("|"), ...Array.from({ length: 8 }, (_, i) => `w${i}`)].slice(
      0,
      arity > 0 ? arity : Math.max(-arity, 4),
    );
    examples.push(words.map((word, at) => (isCount(name, at) ? "1" : word)).join(" "));
  }
  return examples;
}

function isCount(name: string, at: number): boolean {
  const [places] = Object.entries(KEYS_BY_PLACE).find(([, names]) => names.split(" ").includes(name)) ?? [""];
  return places.split(" ").includes(`${at}#`);
}

function keysIn(request: readonly string[]): readonly string[] | undefined {
  const [name = "", sub = ""] = request;
  const command = CONTAINERS.has(name) ? `${name}|${sub}` : name;
  const words = { length: request.length, wordAt: (at: number) => (request[at] ?? "").toUpperCase() };
  return keysOf(command, words)?.map((at) => request[at] ?? "");
}

const CONTAINERS: ReadonlySet<string> = new Set(["XINFO", "XGROUP", "MEMORY", "OBJECT"]);
