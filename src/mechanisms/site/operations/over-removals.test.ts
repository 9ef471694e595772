import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "#kit/testing/until";
import { systemClock } from "#kit/reconcile/system-clock";
import type { OverKey } from "../../../core/merge/over-removals.ts";
import { startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { LINK_DATABASE, LINK_KEYS } from "../saved/marks.ts";
import { ALL_KEYS } from "../saved/slice.ts";
import { OverRemovals } from "./over-removals.ts";

type Command = readonly string[];

interface Example {
  readonly what: string;
  readonly made: Command;
  /** What a client does behind the place at which the removal is decided, and before the removal. */
  readonly client: Command;
  readonly over: OverKey["elements"];
  readonly read: Command;
  readonly stays: unknown;
}

const string = { type: "string", element: "", onTop: undefined } as const;
const field = { type: "hash", element: "f", onTop: undefined } as const;
const member = { type: "set", element: "m", onTop: undefined } as const;
const score = { type: "zset", element: "m", onTop: undefined } as const;

const EXAMPLES: readonly Example[] = [
  {
    what: "a number that a client writes with the same value",
    made: ["SET", "k", "5"],
    client: ["SET", "k", "5"],
    over: [string],
    read: ["GET", "k"],
    stays: "5",
  },
  {
    what: "a text that a client writes",
    made: ["SET", "k", "5"],
    client: ["SET", "k", "text"],
    over: [string],
    read: ["GET", "k"],
    stays: "text",
  },
  {
    what: "an increment",
    made: ["SET", "k", "5"],
    client: ["INCR", "k"],
    over: [string],
    read: ["GET", "k"],
    stays: "6",
  },
  {
    what: "a field with the same value",
    made: ["HSET", "k", "f", "5"],
    client: ["HSET", "k", "f", "5"],
    over: [field],
    read: ["HGET", "k", "f"],
    stays: "5",
  },
  {
    what: "an increment of a field",
    made: ["HSET", "k", "f", "5"],
    client: ["HINCRBY", "k", "f", "1"],
    over: [field],
    read: ["HGET", "k", "f"],
    stays: "6",
  },
  {
    what: "a member that a client removes and adds",
    made: ["SADD", "k", "m", "n"],
    over: [member],
    client: ["EVAL", "redis.call('SREM', KEYS[1], 'm'); return redis.call('SADD', KEYS[1], 'm')", "1", "k"],
    read: ["SISMEMBER", "k", "m"],
    stays: 1,
  },
  {
    what: "a score",
    made: ["ZADD", "k", "5", "m"],
    client: ["ZADD", "k", "6", "m"],
    over: [score],
    read: ["ZSCORE", "k", "m"],
    stays: "6",
  },
];

for (const { what, made, client, over, read, stays } of EXAMPLES)
  test(`${what} between the decision and the removal stays`, async () => {
    await using engine = await startEngine();
    await engine.call(...made);
    const found = { key: "k", elements: over, until: undefined };
    const ended: string[] = [];
    const results: readonly (OverKey | undefined)[] = [found, undefined];
    const asked = results.values();
    await using removals = await startRemovals(engine, {
      overOf: () => asked.next().value ?? undefined,
      endOver: (key) => void ended.push(key),
    });
    removals.over.add(["k"]);
    await removals.marked(1);
    await engine.call(...client);
    removals.over.take("over:t:1");
    await removals.marked(2);
    assert.deepEqual(await engine.call(...read), stays);
    removals.over.take("over:t:2");
    await until("nothing is over", () => ended.length === 1, { withinMs: 60_000 });
    assert.deepEqual(await engine.call(...read), stays);
  });

test("what is over goes, and what clients have counted on top of it stays and expires", async () => {
  await using engine = await startEngine();
  await engine.call("SET", "k", "7");
  await engine.call("HSET", "h", "f", "1", "g", "2");
  const latest = Date.now() + 3_600_000;
  const over: ReadonlyMap<string, OverKey> = new Map([
    ["k", { key: "k", elements: [{ ...string, onTop: 2n }], until: latest }],
    ["h", { key: "h", elements: [field], until: undefined }],
  ]);
  const ended = new Set<string>();
  await using removals = await startRemovals(engine, {
    overOf: (key) => over.get(key),
    endOver: (key) => void ended.add(key),
  });
  removals.over.add(["k", "h"]);
  await removals.marked(1);
  removals.over.take("over:t:1");
  await until("both are removed", () => ended.size === 2, { withinMs: 60_000 });
  assert.deepEqual([await engine.call("GET", "k"), await engine.call("PEXPIRETIME", "k")], ["2", latest]);
  assert.deepEqual(await engine.call("HKEYS", "h"), ["g"]);
});

test("a key on which something is under way is asked for again", async () => {
  await using engine = await startEngine();
  await engine.call("SET", "k", "7");
  const asked = (["busy", { key: "k", elements: [string], until: undefined }] as const).values();
  const ended: string[] = [];
  await using removals = await startRemovals(engine, {
    overOf: () => asked.next().value ?? undefined,
    endOver: (key) => void ended.push(key),
  });
  removals.over.add(["k"]);
  for (const number of [1, 2]) {
    await removals.marked(number);
    assert.equal(await engine.call("EXISTS", "k"), 1);
    removals.over.take(`over:t:${number}`);
  }
  await until("it is removed", () => ended.length === 1, { withinMs: 60_000 });
  assert.equal(await engine.call("EXISTS", "k"), 0);
});

interface Started extends AsyncDisposable {
  readonly over: OverRemovals;
  /** Waits for the mark with that number. */
  marked(number: number): Promise<void>;
}

async function startRemovals(
  engine: TestEngine,
  keys: ConstructorParameters<typeof OverRemovals>[2],
): Promise<Started> {
  const [client, beside, looking] = [await engine.connect(), await engine.connect(), await engine.connect()];
  await looking.call("SELECT", LINK_DATABASE);
  const ended = new AbortController();
  const over = new OverRemovals(
    { client, slice: ALL_KEYS, clock: systemClock, signal: ended.signal, beside: () => Promise.resolve(beside) },
    "t",
    keys,
  );
  const running = over.run();
  return {
    over,
    async marked(number) {
      const isThere = async (): Promise<boolean> =>
        (await looking.call("GET", LINK_KEYS.mark))?.toString() === `over:t:${number}`;
      await until(`mark ${number} is written`, isThere, { withinMs: 60_000 });
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      over.end();
      await running;
      for (const each of [client, beside, looking]) each.close();
    },
  };
}
