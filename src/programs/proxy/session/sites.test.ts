import assert from "node:assert/strict";
import { test } from "node:test";
import { siteLogins, type EngineAccess } from "../../../core/api/engine-login.ts";
import { SITE_WRITES } from "../../../core/api/site-writes.ts";
import { capturedEffects } from "../../../core/merge/operations/captured-effects.ts";
import { expiredEffects } from "../../../core/merge/operations/expired-effects.ts";
import { userRules } from "../../../mechanisms/supervisor/engine-users.ts";
import { argumentsOf } from "../../../ports/resp/command-frame.ts";
import { openReplicationStream } from "../../../ports/resp/replication-stream.ts";
import { engineNames, startEngine, type TestEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { SITE_EXAMPLES } from "../../../../test/kit/merge/site-examples.ts";
import { FORWARDED } from "../protocol/table/forwarded.ts";
import { HANDLED } from "../protocol/table/handled.ts";
import { REFUSED_AT_SITES } from "../protocol/site-commands.ts";

const access: EngineAccess = { internal: "of-the-cluster", clients: [] };
/** They write no key. */
const NO_WRITES = ["PUBLISH", "SPUBLISH", "SLOWLOG", "COMMANDLOG", "LATENCY"];
const REFUSED: readonly (readonly [request: string, why: RegExp])[] = [
  ["xadd k * a 1", /^-ERR store: XADD is not available .*order of their IDs.*docs\/active-active\.md/],
  ["XGROUP CREATE k g $ MKSTREAM", /XGROUP is not available/],
  ["HEXPIRE h 10 FIELDS 1 a", /expiry of their own/],
  ["SELECT 1", /database 0 alone/],
  ["SWAPDB 0 1", /database 0 alone/],
  ["MOVE k 1", /database 0 alone/],
  ["COPY a b REPLACE DB 1", /database 0 alone/],
  ["RESTORE k 0 x", /commands of its type/],
  ["FUNCTION FLUSH", /stay at one site/],
  ["GEORADIUS g 15 37 200 km", /GEOSEARCH/],
];
const IN_SCRIPTS = ["xadd k * a 1", "select 1", "swapdb 0 1", "move k 1", "flushall", "restore k 0 x"];
/** A client gives it a time in the past. */
const EXPIRED = "m1";
const FRAME = ["PING", "SELECT", "MULTI", "EXEC", "REPLCONF"];

test("each write that an endpoint knows is taken at a site or refused there with a reason", () => {
  const blocking = HANDLED.filter(({ commandClass }) => commandClass === "blocking").flatMap(({ names }) =>
    names.split(" ").filter((name) => name !== "XREAD"),
  );
  const written = [...FORWARDED.write.split(" "), ...blocking, "VADD"].map((name) => name.split("|", 1)[0] ?? "");
  const refused = REFUSED_AT_SITES.flatMap(({ names }) => names.split(" "));
  // FLUSHALL does what FLUSHDB does
  const decided = new Set([...SITE_WRITES, "FLUSHALL", ...refused, ...NO_WRITES]);
  assert.deepEqual(
    written.filter((name) => !decided.has(name)),
    [],
  );
  assert.deepEqual(
    refused.filter((name) => SITE_WRITES.includes(name)),
    [],
  );
  assert.deepEqual(Object.keys(SITE_EXAMPLES).toSorted(), [...SITE_WRITES].toSorted());
});

for (const engine of engineNames()) {
  await test(`${engine}: a site takes what a link carries, and its stream says what it was`, async () => {
    await using scene = await openSite(engine);
    const stream = await scene.stream();
    for (const request of Object.values(SITE_EXAMPLES).flat()) {
      const reply = await scene.client.ask(...request.split(" "));
      assert.ok(!String(reply).startsWith("-"), `${request}: ${String(reply)}`);
    }
    const seen = await stream.upTo("the-end");
    assert.deepEqual(
      seen.filter((args) => capturedEffects(args) === undefined),
      [],
    );
    assert.deepEqual(
      seen.filter((args) => args[1] !== EXPIRED && expiredEffects(args).length > 0),
      [],
      "nothing else that a client removes looks like a key whose time has come",
    );
  });

  await test(`${engine}: what no link carries is refused, also in transactions and in scripts`, async () => {
    await using scene = await openSite(engine);
    const { client } = scene;
    for (const [request, why] of REFUSED) {
      const reply = await client.ask(...request.split(" "));
      assert.match(String(reply), why, request);
    }
    await client.ask("MULTI");
    assert.match(String(await client.ask("XADD", "k", "*", "a", "1")), /order of their IDs/);
    assert.match(String(await client.ask("EXEC")), /^-EXECABORT/);
    for (const call of IN_SCRIPTS) {
      const words = call.split(" ").map((word) => `'${word}'`);
      assert.match(
        String(await client.ask("EVAL", `return redis.call(${words.join()})`, 0)),
        /permission|can.t run this command/,
        call,
      );
    }
    assert.equal(await client.ask("EVAL", "return redis.call('set', 'k', '1')", 0), "OK");
    assert.equal(await client.ask("SELECT", "0"), "OK");
  });
}

/** An endpoint of a site in front of a real engine, as its agent configures both. */
async function openSite(engine: string) {
  await using stack = new AsyncDisposableStack();
  const primary = stack.use(await startEngine({ engine }));
  for (const [user = "", ...rules] of userRules({ access, isSite: true }))
    if (user !== "default") await primary.call("ACL", "SETUSER", user, ...rules);
  const proxy = stack.use(await startProxy());
  const logins = siteLogins(access);
  const endpoint = endpointFor(primary, { logins: logins.slice(1), site: { logins } });
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  const client = await RawClient.connect(endpoint.listen);
  stack.defer(() => {
    client.close();
  });
  const ending = new AbortController();
  stack.defer(() => {
    ending.abort(new Error("the test ends it"));
  });
  const owned = stack.move();
  return { client, stream: () => streamOf(primary, ending.signal), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** What the engine sends to a replica: commands that write, without the frame of transactions. */
async function streamOf(primary: TestEngine, signal: AbortSignal) {
  const seen: (readonly string[])[] = [];
  const attached = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    const { commands } = await openReplicationStream({ ...primary, timeoutMs: 5_000, signal });
    attached.resolve();
    for await (const together of commands)
      for (const { name, frame } of together) {
        const args = argumentsOf(frame);
        if (args[1] === "the-end") end.resolve();
        else if (!FRAME.includes(name)) seen.push(args);
      }
  };
  follow().catch(end.reject);
  await attached.promise;
  return {
    async upTo(key: string): Promise<readonly (readonly string[])[]> {
      await primary.call("SET", key, "1");
      await end.promise;
      return seen;
    },
  };
}
