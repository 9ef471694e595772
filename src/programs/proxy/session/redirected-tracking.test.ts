import assert from "node:assert/strict";
import { test as testOnce } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { demote, promote, switchOver } from "../../../../test/kit/engines/switchover.ts";
import { until } from "#kit/testing/until";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { Push } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());

const ERRORS = [
  ...["on REDIRECT 7777", "on REDIRECT 0", "on REDIRECT -1", "on REDIRECT x", "on REDIRECT", "off REDIRECT 7777"],
  ...["on REDIRECT 9223372036854775808", "on REDIRECT 9223372036854775807", "on FOO REDIRECT x", "on REDIRECT x FOO"],
  ...[
    "on REDIRECT ME REDIRECT ME",
    "on PREFIX REDIRECT REDIRECT 7777",
    "on OPTIN OPTOUT REDIRECT ME",
    "maybe REDIRECT ME",
  ],
  ...["on BCAST OPTIN", "on PREFIX a", "on BCAST PREFIX a PREFIX ab", "on REDIRECT ME PREFIX a"],
];

for (const engine of engineNames())
  testOnce(`CLIENT TRACKING redirects at an endpoint as at ${engine}`, async () => {
    await using direct = await startEngine({ engine });
    await using behind = await startEngine({ engine });
    await using proxy = await startProxy();
    const endpoint = endpointFor(behind);
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    for (const [tracks, gets] of PROTOCOLS)
      assert.deepEqual(
        await redirected(endpoint.listen, tracks, gets),
        await redirected(direct, tracks, gets),
        `RESP${tracks} to RESP${gets}`,
      );
    assert.deepEqual(await errorsAt(endpoint.listen), await errorsAt(direct));
  });

const PROTOCOLS = [
  [2, 2],
  [2, 3],
  [3, 2],
  [3, 3],
] as const;

test("a redirected client learns that nothing is valid when the primary moves, and of what changes at the next one", async (served) => {
  const [target, id] = await subscriber(served.endpoint.listen);
  const [tracker, writer] = [await served.client(), await served.client()];
  assert.equal(await tracker.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id), "OK");
  for (const value of ["1", "2"]) {
    await tracker.ask("GET", "k");
    await writer.ask("SET", "k", value);
    assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", ["k"]]);
    await tracker.ask("GET", "k");
    await served.move();
    assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", null]);
    assert.equal(await tracker.ask("CLIENT", "GETREDIR"), Number(id));
  }
  assert.match(String(await writer.ask("CLIENT", "LIST")), new RegExp(` flags=t .* redir=${id} resp=2 `));
  await tracker.ask("CLIENT", "TRACKING", "OFF");
  await tracker.ask("GET", "k");
  await writer.ask("SET", "k", "3");
  assert.equal(await writer.ask("PUBLISH", "__redis__:invalidate", "end"), 1);
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", "end"]);
  for (const one of [target, tracker, writer]) one.close();
});

test("a client that redirects to one that is gone is sent so, behind a move too", async (served) => {
  const [target, id] = await subscriber(served.endpoint.listen);
  const [tracker, writer] = [await served.client(), await served.client()];
  await tracker.ask("HELLO", 3);
  await tracker.ask("CLIENT", "TRACKING", "ON", "BCAST", "REDIRECT", id);
  await writer.ask("SET", "gone", "1");
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", ["gone"]]);
  target.close();
  await until("the endpoint knows it", async () => (await writer.ask("CLIENT", "LIST", "ID", id)) === "");
  await served.move();
  assert.equal(await tracker.ask("GET", "gone"), "1");
  await until("the engine knows it", async () => {
    await writer.ask("SET", "gone", "2");
    return tracker.unread.length > 0;
  });
  assert.deepEqual(await tracker.read(), new Push(["tracking-redir-broken", Number(id)]));
  for (const one of [tracker, writer]) one.close();
});

test("a subscriber that redirects what is tracked misses no message over a move, and is tracked for behind it", async (served) => {
  const [target, id] = await subscriber(served.endpoint.listen);
  const [both, writer] = [await served.client(), await served.client()];
  await both.ask("HELLO", 3);
  await both.ask("SUBSCRIBE", "ch");
  assert.equal(await both.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id), "OK");
  await both.ask("GET", "k");
  let published = 0;
  const publishing = { on: true };
  const load = (async () => {
    for (; publishing.on; published++) assert.equal(await writer.ask("PUBLISH", "ch", String(published)), 1);
  })();
  await done(served.prepare());
  await done(served.hold({ drainMs: 20_000, holdMs: 60_000 }));
  const [from, to] = [served.primary, served.replica];
  await promote(from, to);
  [served.primary, served.replica] = [to, from];
  await done(served.release());
  const before = published;
  await until("more is published", () => Promise.resolve(published > before + 1));
  publishing.on = false;
  await load;
  const messages = await both.readMany(published);
  assert.deepEqual(
    messages,
    messages.map((_, i) => new Push(["message", "ch", String(i)])),
  );
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", null]);
  assert.equal(await both.ask("CLIENT", "GETREDIR"), Number(id));
  await both.ask("GET", "k");
  await writer.ask("SET", "k", "1");
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", ["k"]]);
  await demote(from, to);
  for (const one of [target, both, writer]) one.close();
});

test("a client whose connection for invalidations the engine ends learns that nothing is valid, and is cut when the engine goes on", async (served) => {
  const [target, id] = await subscriber(served.endpoint.listen);
  const tracker = await served.client();
  await tracker.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id);
  await tracker.ask("GET", "k");
  const engineId = /redir=(\d+) /.exec(
    String(await served.primary.call("CLIENT", "LIST", "TYPE", "normal")).replaceAll("redir=-1 ", ""),
  )?.[1];
  assert.equal(await served.primary.call("CLIENT", "KILL", "ID", engineId ?? ""), 1);
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", null]);
  assert.equal(await target.read(), undefined, "it could not know what else becomes invalid");
  assert.equal(await tracker.ask("PING"), "PONG");
  for (const one of [target, tracker]) one.close();
});

test("invalidations never come in the middle of a reply", async (served) => {
  const [target, tracker, writer] = [await served.client(), await served.client(), await served.client()];
  await target.ask("HELLO", 3);
  const id = String(await target.ask("CLIENT", "ID"));
  await tracker.ask("CLIENT", "TRACKING", "ON", "BCAST", "REDIRECT", id);
  const large = "x".repeat(4 * 2 ** 20);
  await writer.ask("SET", "large", large);
  for (let i = 0; i < 4; i++) target.send("GET", "large");
  for (let i = 0; i < 50; i++) await writer.ask("SET", `k${i}`, "1");
  const frames = await target.readMany(4 + 51);
  assert.equal(frames.filter((frame) => frame === large).length, 4);
  assert.equal(frames.filter((frame) => frame instanceof Push && frame.values[0] === "invalidate").length, 51);
  for (const one of [target, tracker, writer]) one.close();
});

test("a user of the engine redirects to clients of that user alone", async (served) => {
  await served.primary.call("ACL", "SETUSER", "ann", "on", ">pw", "~*", "+@all", "&*");
  const [target, id] = await subscriber(served.endpoint.listen);
  const [own, ann] = [await served.client(), await served.client()];
  for (const client of [own, ann]) assert.equal(await client.ask("AUTH", "ann", "pw"), "OK");
  assert.match(
    String(await ann.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id)),
    /^-ERR The client ID .* does not exist/,
  );
  assert.equal(await ann.ask("CLIENT", "TRACKING", "ON", "REDIRECT", String(await own.ask("CLIENT", "ID"))), "OK");
  for (const one of [target, own, ann]) one.close();
});

testOnce("invalidations reach a client at another node, before and behind a move", async () => {
  await using served = await Served.start();
  await using other = await startProxy();
  const endpoint = endpointFor(served.primary, { node: 2 });
  await done(other.send({ op: "configure", endpoints: [endpoint] }));
  let isReached = true;
  served.proxy.onClients(async ({ bdb, request, node = 0 }) => {
    if (!isReached) return [{ node, missing: "it is not reached" }];
    const reply = await other.send({ op: "clients", bdb, request });
    if (!reply.ok) return [{ node, missing: reply.message }];
    return reply.op === "clients" ? [{ node, lines: reply.lines, count: reply.count }] : [];
  });
  const [target, id] = await subscriber(endpoint.listen);
  const [tracker, writer] = [await served.client(), await served.client()];
  isReached = false;
  assert.match(
    String(await tracker.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id)),
    /^-ERR store: the client to redirect to cannot be reached, .*: node 2 did not answer: it is not reached/,
  );
  isReached = true;
  assert.equal(await tracker.ask("CLIENT", "TRACKING", "ON", "REDIRECT", id), "OK");
  const learns = async (): Promise<void> => {
    await tracker.ask("GET", "far");
    await writer.ask("SET", "far", "1");
    assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", ["far"]]);
  };
  await learns();
  await switchOver([served.proxy, other], 2, served.primary, served.replica);
  assert.deepEqual(await target.read(), ["message", "__redis__:invalidate", null]);
  await learns();
  for (const one of [target, tracker, writer]) one.close();
});

/** A client of the old protocol that listens, and its number. */
async function subscriber(place: Address): Promise<readonly [RawClient, string]> {
  const client = await RawClient.connect(place);
  const id = String(await client.ask("CLIENT", "ID"));
  await client.ask("SUBSCRIBE", "__redis__:invalidate");
  return [client, id];
}

/** All that both sides are sent, with words for the number of the client. */
async function redirected(place: Address, tracks: number, gets: number): Promise<readonly unknown[]> {
  const clients = [
    await RawClient.connect(place),
    await RawClient.connect(place),
    await RawClient.connect(place),
  ] as const;
  const [target, tracker, writer] = clients;
  await target.ask("HELLO", gets);
  await tracker.ask("HELLO", tracks);
  const id = String(await target.ask("CLIENT", "ID"));
  const seen: unknown[] = [];
  const ask = async (...request: readonly string[]): Promise<unknown> => {
    const reply = await tracker.ask(...request);
    seen.push(reply);
    return reply;
  };
  const seesAt = async (client: RawClient): Promise<void> => void seen.push(plain(await client.read()));
  if (gets === 2) await target.ask("SUBSCRIBE", "any");
  await ask("CLIENT", "GETREDIR");
  await ask("CLIENT", "CACHING", "YES");
  await ask("CLIENT", "TRACKING", "ON", "OPTIN", "NOLOOP", "REDIRECT", id);
  await ask("CLIENT", "GETREDIR");
  await ask("CLIENT", "CACHING", "NO");
  await ask("CLIENT", "CACHING", "YES");
  await ask("CLIENT", "TRACKINGINFO");
  for (const request of [["MULTI"], ["CLIENT", "TRACKINGINFO"], ["GET", "k"], ["CLIENT", "GETREDIR"], ["EXEC"]])
    await ask(...request);
  for (const request of [
    ["SET", "k", "own"],
    ["CLIENT", "CACHING", "YES"],
    ["GET", "k"],
  ])
    await ask(...request);
  await writer.ask("SET", "other", "1");
  await writer.ask("SET", "k", "1");
  await seesAt(target);
  await writer.ask("FLUSHALL");
  await seesAt(target);
  await ask("CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST");
  await ask("CLIENT", "TRACKING", "OFF");
  await ask("CLIENT", "TRACKINGINFO");
  await ask("CLIENT", "TRACKING", "ON", "REDIRECT", id, "BCAST", "PREFIX", "k", "PREFIX", "l");
  await writer.ask("SET", "lk", "1");
  await seesAt(target);
  target.close();
  await until("the engine knows that it is gone", async () => {
    await writer.ask("SET", "k", "2");
    return JSON.stringify(await infoOf(tracker)).includes("broken_redirect");
  });
  await ask("CLIENT", "GETREDIR");
  await ask("CLIENT", "TRACKINGINFO");
  await ask("CLIENT", "TRACKING", "ON", "BCAST", "REDIRECT", id);
  for (const client of clients) client.close();
  return seen
    .map((each) => (each instanceof Push ? ["push", each.values] : each))
    .map((each) => named(each, Number(id)));
}

/** The flags, past messages about the client that is gone. */
async function infoOf(tracker: RawClient): Promise<unknown> {
  tracker.send("CLIENT", "TRACKINGINFO");
  let frame = await tracker.read();
  while (frame instanceof Push) frame = await tracker.read();
  return frame instanceof Map ? [...frame] : frame;
}

function named(value: unknown, id: number): unknown {
  if (value === id) return "the number of the client";
  if (value instanceof Map) return [...value].map((entry) => named(entry, id));
  return Array.isArray(value) ? value.map((each) => named(each, id)) : value;
}

async function errorsAt(place: Address): Promise<readonly unknown[]> {
  const client = await RawClient.connect(place);
  const id = String(await client.ask("CLIENT", "ID"));
  const replies: unknown[] = [];
  for (const words of ERRORS) {
    const request = words.split(" ").map((word) => (word === "ME" ? id : word));
    replies.push([words, await client.ask("CLIENT", "TRACKING", ...request), await client.ask("CLIENT", "GETREDIR")]);
  }
  client.close();
  return replies;
}
