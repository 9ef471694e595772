import assert from "node:assert/strict";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { until } from "#kit/testing/until";
import { done } from "../../../../test/kit/engines/proxy.ts";

const test = sharing(() => Served.start());

const WRITE = ["EVAL", "return redis.call('INCR', KEYS[1])", "1", "counted"] as const;
const READ = ["EVAL", "return redis.call('GET', KEYS[1])", "1", "counted"] as const;

for (const [what, script, result, refusal] of [
  ["writes", WRITE, 3, "READONLY"],
  ["reads", READ, "2", "MASTERDOWN"],
] as const)
  test(`a transaction with a script that ${what}, which a former primary has refused inside, is executed by the next one`, async (served) => {
    const client = await served.client();
    // its connection to the engine is the one that the next transaction gets
    assert.deepEqual([await client.ask("MULTI"), await client.ask("EXEC")], ["OK", []]);
    await served.primary.call("SET", "counted", "1");
    await served.moveEngines();
    const former = served.replica;
    if (refusal === "MASTERDOWN") {
      await former.call("CONFIG", "SET", "replica-serve-stale-data", "no");
      await former.call("REPLICAOF", "127.0.0.1", 1);
    }
    await served.primary.call("SET", "counted", "2");
    for (const request of [["MULTI"], script, ["EXEC"]]) client.send(...request);
    await until("the former primary has refused it", async () =>
      String(await former.call("INFO", "errorstats")).includes(`errorstat_${refusal}`),
    );
    await former.call("CONFIG", "SET", "replica-serve-stale-data", "yes");
    await former.follow(served.primary);
    await done(served.release());
    assert.deepEqual(await client.readMany(3), ["OK", "QUEUED", [result]]);
    client.close();
  });

test("an answer of the primary itself in the words of a refusal counts, in a transaction as well", async (served) => {
  const client = await served.client();
  const words = "READONLY You can't write against a read only replica.";
  await client.ask("SET", "words", `\n-${words}`);
  await client.ask("MULTI");
  await client.ask("GET", "words");
  await client.ask("EVAL", `return redis.error_reply("${words}")`, "0");
  await client.ask("INCR", "once");
  const [data, error, count] = (await client.ask("EXEC")) as readonly unknown[];
  assert.deepEqual([String(data), count], [`\n-${words}`, 1]);
  assert.match(JSON.stringify(error), /READONLY/);
  client.close();
});
