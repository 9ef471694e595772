import assert from "node:assert/strict";
import { test } from "node:test";
import { KnownScores } from "../../../core/merge/operations/known-scores.ts";
import { startEngine } from "../../../../test/kit/engines/engine.ts";
import { until } from "#kit/testing/until";
import { systemClock } from "#kit/reconcile/system-clock";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../ports/resp/faults.ts";
import { MemberLooks } from "./member-looks.ts";

await test("sets that clients change are looked at, unless they are known, large, or no sets", async () => {
  await using engine = await startEngine();
  const client = await engine.connect();
  await client.call("ZADD", "small", "1", "m");
  await client.call("SET", "text", "v");
  await client.call("EVAL", "for i = 1, 10001 do redis.call('ZADD', 'large', i, i) end", "0");
  const scores = new KnownScores();
  scores.learn("known", []);
  const looked: string[] = [];
  const ended = new AbortController();
  const looks = {
    look: (keys: readonly string[], take: (key: string, effects: readonly []) => void): Promise<void> => {
      looked.push(...keys);
      for (const key of keys) take(key, []);
      return Promise.resolve();
    },
  };
  const members = new MemberLooks(
    { client, holds: () => true, clock: systemClock, signal: ended.signal },
    looks,
    scores,
  );
  for (const key of ["large", "text", "known"]) members.pass(["ZADD", key, "1", "m"]);
  for (const name of ["SET", "ZPOPMIN"]) members.pass([name, "other"]);
  for (let number = 0; number < 9; number += 1) {
    members.pass(["ZADD", `read:${number}`, "1", "m"]);
    // a client has popped one meanwhile, so that all was read
    scores.learn(`read:${number}`, []);
  }
  members.pass(["ZADD", "small", "1", "m"]);
  await until("the small set is known", () => scores.has("small"), { withinMs: 20_000 });
  members.pass(["zincrby", "later", "1", "m"]);
  await until("the later set is known", () => scores.has("later"), { withinMs: 20_000 });
  assert.deepEqual(looked, ["small", "later"]);
  ended.abort();
});

await test("an error of a look is thrown to who follows the stream, and a failure of the engine is not", async () => {
  const ended = new AbortController();
  const outcomes: (Error | undefined)[] = [
    new Fault(faults.unexpectedReply, "refused"),
    new TypeError("not a function"),
  ];
  const client = { callAll: () => Promise.reject(outcomes.shift() ?? new Error("asked too often")) };
  const looks = { look: () => Promise.reject(new Error("nothing was asked")) };
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const members = new MemberLooks({ client, holds: () => true, clock, signal: ended.signal }, looks, new KnownScores());
  members.pass(["ZADD", "one", "1", "m"]);
  await until("the engine has refused", () => outcomes.length === 1, { withinMs: 20_000 });
  members.pass(["ZADD", "two", "1", "m"]);
  const isThrown = (): boolean => {
    try {
      members.pass(["ZADD", "three", "1", "m"]);
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  };
  await until("the next change has the error", isThrown, { withinMs: 20_000 });
  ended.abort();
});
