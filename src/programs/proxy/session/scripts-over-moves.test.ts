import assert from "node:assert/strict";
import type { Arg } from "../../../ports/resp/encode.ts";
import { done } from "../../../../test/kit/engines/proxy.ts";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import type { TestEngine } from "../../../../test/kit/engines/engine.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { until } from "#kit/testing/until";
import { shaOf } from "../upstream/script-cache.ts";

const test = sharing(() => Served.start());

/** What an engine does not take: no Lua, half of it, a flag and an engine that do not exist. */
const BROKEN = ["this is not lua", "return (", "#!lua flags=nonsense\nreturn 1", "#!js name=x\nreturn 1"];

test("a script that no engine takes stops no move, and is not remembered", async (served) => {
  const client = await served.client();
  for (const body of BROKEN) {
    assert.match(String(await client.ask("EVAL", body, 0)), /^-ERR/);
    assert.match(String(await client.ask("SCRIPT", "LOAD", body)), /^-ERR/);
  }
  const before = await failedLoads(served.replica);
  await served.move();
  assert.equal(await failedLoads(served.primary), before);
  assert.equal(await client.ask("SET", "k", "v"), "OK");
  client.close();
});

test("a script that one engine takes and the next one refuses stops no move", async (served) => {
  const client = await served.client();
  const [refused, taken] = ["return 'refused'", "return 'taken'"];
  await client.ask("SCRIPT", "LOAD", refused);
  await served.replica.call("ACL", "SETUSER", "default", "-script|load");
  await done(served.prepare());
  await done(served.abort());
  await served.replica.call("ACL", "SETUSER", "default", "+script|load");
  await client.ask("SCRIPT", "LOAD", taken);
  await served.move();
  for (const name of ["refused", "taken"]) assert.equal(await client.ask("EVALSHA", shaOfReturn(name), 0), name);
  client.close();
});

const CALLED_FROM_SCRIPT = /^-ERR Unknown .*command called from script/;

/** What loads the script that returns `name`. */
const LOADS: Readonly<Record<string, (client: RawClient, name: string) => Promise<unknown>>> = {
  "SCRIPT LOAD": (client, name) => client.ask("SCRIPT", "LOAD", body(name)),
  "script load": (client, name) => client.ask("script", "load", body(name)),
  EVAL: (client, name) => client.ask("EVAL", body(name), 0),
  EVAL_RO: (client, name) => client.ask("EVAL_RO", body(name), 0),
  "SCRIPT LOAD in MULTI": (client, name) => inMulti(client, ["SET", "a", "b"], ["SCRIPT", "LOAD", body(name)]),
  "EVAL in MULTI": (client, name) => inMulti(client, ["EVAL", body(name), 0], ["GET", "a"]),
  "SCRIPT LOAD in MULTI beside what the proxy answers": (client, name) =>
    inMulti(client, ["CLIENT", "ID"], ["SCRIPT", "LOAD", body(name)], ["SELECT", 0]),
};

for (const [way, load] of Object.entries(LOADS))
  test(`a script that came by ${way} is there behind a move`, async (served) => {
    const client = await served.client();
    await load(client, way);
    await served.move();
    assert.equal(await client.ask("EVALSHA", shaOfReturn(way), 0), way);
    client.close();
  });

test("a script that is loaded in a transaction over which the primary moves is there behind the next move", async (served) => {
  const client = await served.client();
  await client.ask("MULTI");
  await client.ask("SCRIPT", "LOAD", body("over"));
  await served.move();
  await client.ask("SET", "a", "b");
  assert.deepEqual(await client.ask("EXEC"), [shaOfReturn("over"), "OK"]);
  await served.move();
  assert.equal(await client.ask("EVALSHA", shaOfReturn("over"), 0), "over");
  client.close();
});

test("a script that ends with an error has been loaded all the same", async (served) => {
  const client = await served.client();
  const failing = "return redis.call('NO-SUCH')";
  assert.match(String(await client.ask("EVAL", failing, 0)), CALLED_FROM_SCRIPT);
  await served.move();
  const [again] = await inMulti(client, ["EVALSHA", shaOf(Buffer.from(failing)), 0]);
  assert.match(String(again), CALLED_FROM_SCRIPT);
  client.close();
});

test("scripts that were flushed at the primary do not come back by a move, whichever proxy carried the flush", async (served) => {
  const client = await served.client();
  await client.ask("SCRIPT", "LOAD", body("flushed"));
  await served.primary.call("SCRIPT", "FLUSH");
  await client.ask("SCRIPT", "LOAD", body("kept"));
  await served.replica.call("SCRIPT", "FLUSH");
  await served.move();
  const shas = ["flushed", "kept"].map(shaOfReturn);
  assert.deepEqual(await client.ask("SCRIPT", "EXISTS", ...shas), [0, 1]);
  await client.ask("SCRIPT", "FLUSH");
  await served.replica.call("SCRIPT", "FLUSH");
  await served.move();
  assert.deepEqual(await client.ask("SCRIPT", "EXISTS", ...shas), [0, 0]);
  client.close();
});

test("an attempt to move loads nothing that an earlier one has loaded", async (served) => {
  const client = await served.client();
  for (let i = 0; i < 50; i++) await client.ask("SCRIPT", "LOAD", body(`many ${i}`));
  const shas = Array.from({ length: 50 }, (_, i) => shaOfReturn(`many ${i}`));
  await done(served.prepare());
  await until("the target has them", async () => {
    const exists = await served.replica.call("SCRIPT", "EXISTS", ...shas);
    return Array.isArray(exists) && exists.every((one) => one === 1);
  });
  await done(served.abort());
  const loads = await loadsAt(served.replica);
  await done(served.prepare());
  await done(served.abort());
  assert.equal(await loadsAt(served.replica), loads);
  client.close();
});

function body(name: string): string {
  return `return '${name}'`;
}

function shaOfReturn(name: string): string {
  return shaOf(Buffer.from(body(name)));
}

/** The replies to the requests in one transaction. */
async function inMulti(client: RawClient, ...requests: readonly (readonly Arg[])[]): Promise<readonly unknown[]> {
  await client.ask("MULTI");
  for (const request of requests) assert.equal(await client.ask(...request), "QUEUED");
  const replies = await client.ask("EXEC");
  assert.ok(Array.isArray(replies), String(replies));
  return replies.map(plain);
}

async function loadsAt(engine: TestEngine): Promise<string> {
  return await statistics(engine, /calls=(\d+)/);
}

async function failedLoads(engine: TestEngine): Promise<string> {
  return await statistics(engine, /failed_calls=(\d+)/);
}

/** A number of SCRIPT LOAD at an engine. */
async function statistics(engine: TestEngine, number: RegExp): Promise<string> {
  const info = String(await engine.call("INFO", "commandstats"));
  const line = info.split("\r\n").find((one) => one.startsWith("cmdstat_script|load:")) ?? "";
  return number.exec(line)?.[1] ?? "0";
}
