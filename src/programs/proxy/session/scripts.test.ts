import assert from "node:assert/strict";
import { test } from "node:test";
import { engineLogins } from "../../../core/api/engine-login.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { superviseNode } from "../../../../test/kit/engines/supervised-node.ts";
import { until } from "#kit/testing/until";
import { COMMAND_TABLE } from "../protocol/table/table.ts";

/** What an engine says of a command that a script cannot use: by its flags, by the rights of its user, or without a cluster. */
const ARGUMENTS = ["127.0.0.1", "6379", "key", "0", "1000"];
const CLOSED =
  /is not allowed from script|can't run this command|cluster support disabled|Unknown Redis command|Unknown command/i;

test("what an endpoint refuses is closed inside scripts and functions too", async () => {
  await using served = await serveSupervised();
  const { endpoint } = served;
  const client = await RawClient.connect(endpoint.listen);
  await until("the endpoint serves", async () => (await client.ask("AUTH", "secret")) === "OK");
  for (const { name, commandClass } of COMMAND_TABLE.values()) {
    if (commandClass !== "refused") continue;
    for (let more = 0; more <= ARGUMENTS.length; more++) {
      const args = [...name.split("|"), ...ARGUMENTS.slice(0, more)];
      const reply = String(await client.ask("EVAL", "return redis.call(unpack(ARGV))", 0, ...args));
      if (!/Wrong number of args/i.test(reply)) assert.match(reply, CLOSED, name);
    }
  }
  const library = "#!lua name=l\nredis.register_function('f', function(k, a) return redis.call(unpack(a)) end)";
  await client.ask("FUNCTION", "LOAD", library);
  const reply = await client.ask("FCALL", "f", 0, "MIGRATE", "127.0.0.1", "6379", "key", "0", "1000");
  assert.match(String(reply), /can't run this command/);
  assert.equal(await client.ask("EVAL", "return redis.call('SET', 'k', 'v')", 0), "OK");
});

test("SCRIPT DEBUG is refused, and the connection that clients share goes on", async () => {
  await using served = await serveSupervised();
  const { endpoint } = served;
  const [one, other] = [await RawClient.connect(endpoint.listen), await RawClient.connect(endpoint.listen)];
  await Promise.all([one.ask("AUTH", "secret"), other.ask("AUTH", "secret")]);
  assert.match(String(await one.ask("SCRIPT", "DEBUG", "YES")), /^-ERR store: SCRIPT DEBUG is not available/);
  assert.match(String(await one.ask("script", "debug", "sync")), /^-ERR store: SCRIPT DEBUG is not available/);
  assert.equal(await other.ask("EVAL", "return 7", 0), 7);
});

/** An engine as its node starts it, with the rights of the product, behind a proxy. */
async function serveSupervised() {
  await using stack = new AsyncDisposableStack();
  const node = stack.use(await superviseNode());
  const engine = node.primary();
  await node.serve(engine);
  const proxy = stack.use(await startProxy());
  const endpoint = endpointFor(engine, { password: "secret", logins: engineLogins(engine.access) });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const owned = stack.move();
  return { endpoint, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
