import assert from "node:assert/strict";
import { test as alone } from "node:test";
import { until } from "#kit/testing/until";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { switchOver } from "../../../../test/kit/engines/switchover.ts";
import { Sharded } from "../../../../test/kit/sharded/sharded.ts";
import { Push, type Reply } from "../../../ports/resp/reply.ts";

/** Keys of the first, the second and the third of three shards. */
const KEYS = ["{3}", "{2}", "{4}"];

/** What a client asks, with the reply of one engine; the keys of another client's writes are behind `other:`. */
const SAME: Readonly<Record<string, string>> = {
  "tracking of reads":
    "CLIENT TRACKING ON; MGET {2} {3}; other:SET {3} x; GET {4}; GET {2}; other:SET {2} x; other:SET {4} x; EXISTS {2} {4}; other:DEL {4}; CLIENT TRACKING OFF; GET {2}; other:SET {2} y; PING",
  "tracking by choice":
    "CLIENT TRACKING ON OPTIN; GET {2}; CLIENT CACHING YES; MGET {3} {4}; other:SET {2} x; other:SET {4} x; CLIENT CACHING YES; PING; GET {2}; other:SET {2} y; CLIENT CACHING NO; PING",
  "tracking but for some":
    "CLIENT TRACKING ON OPTOUT; CLIENT CACHING NO; GET {2}; GET {3}; other:SET {2} x; other:SET {3} x; PING",
  "tracking of prefixes":
    "CLIENT TRACKING ON BCAST PREFIX {2} PREFIX {4}; other:SET {3} x; other:SET {4} x; other:SET {2} x; GET {2}; other:FLUSHDB; PING",
  "what engines say of tracking":
    "CLIENT GETREDIR; CLIENT TRACKING ON OPTIN; CLIENT TRACKINGINFO; CLIENT GETREDIR; CLIENT TRACKING OFF; CLIENT TRACKINGINFO; CLIENT CACHING YES",
  "what is wrong":
    "CLIENT TRACKING; CLIENT TRACKING MAYBE; CLIENT TRACKING ON OPTIN OPTOUT; CLIENT TRACKING ON PREFIX x; CLIENT TRACKING ON OPTIN; CLIENT CACHING; CLIENT CACHING MAYBE; CLIENT CACHING NO; GET {2}",
};

/** What a client gets for one request: what became invalid, each key once, and the reply. */
interface Step {
  readonly pushed: readonly string[];
  readonly reply: unknown;
}

const SHARDS = 3;
const NO_KEY = JSON.stringify(["invalidate", null]);

for (const engine of engineNames()) {
  const test = sharing(() => Sharded.start(SHARDS, {}, engine));

  test(`what a client of three shards of ${engine} tracks becomes invalid as at one engine`, async (sharded) => {
    await using direct = await startEngine({ engine });
    for (const [what, requests] of Object.entries(SAME)) {
      const asked = requests.split("; ");
      const expected = await stepsOf(await RawClient.connect(direct), await RawClient.connect(direct), asked);
      // what is invalid comes beside the replies of other shards, and each shard says that no key is valid
      const wanted = expected.map(({ pushed }) => (pushed.includes(NO_KEY) ? SHARDS : pushed.length));
      assert.deepEqual(await stepsOf(await sharded.client(), await sharded.client(), asked, wanted), expected, what);
    }
  });

  test(`WAIT of three shards of ${engine} counts the replicas that each has`, async (sharded) => {
    const [, second] = sharded.engines;
    assert.ok(second !== undefined);
    const client = await sharded.client();
    assert.equal(await client.ask("WAIT", 0, 10), 0);
    assert.equal(await client.ask("WAIT", 1, 10), 0);
    assert.match(String(plain(await client.ask("WAIT", "x", 0))), /^-ERR value is not an integer/);
    assert.match(String(plain(await client.ask("WAIT", 1))), /^-ERR wrong number of arguments/);
    assert.equal(await client.ask("SET", "{2}", "x"), "OK");
    client.close();
  });

  test(`MONITOR shows what all shards of ${engine} do`, async (sharded) => {
    const [monitor, client] = await Promise.all([sharded.client(), sharded.client()]);
    assert.equal(await monitor.ask("MONITOR"), "OK");
    for (const key of KEYS) await client.ask("SET", key, "seen");
    const seen = new Set<string>();
    while (seen.size < KEYS.length) {
      const [, key] = /"SET" "(\{\d\})" "seen"/.exec(String(await monitor.read())) ?? [];
      if (key !== undefined) seen.add(key);
    }
    monitor.send("GET", "{2}");
    await until("it is refused", () => monitor.unread.some((frame) => String(plain(frame)).includes("behind MONITOR")));
    assert.match(String(await client.ask("CLIENT", "LIST")), /flags=O /);
    for (const one of [monitor, client]) one.close();
  });
}

alone("WAIT waits for the replicas of all shards", async () => {
  await using sharded = await Sharded.start(2);
  const [first, second] = sharded.engines;
  assert.ok(first !== undefined && second !== undefined);
  await using one = await startEngine();
  await using other = await startEngine();
  await one.follow(first);
  const [client, admin] = await Promise.all([sharded.client(), sharded.client()]);
  assert.equal(await client.ask("WAIT", 1, 20), 0);
  await other.follow(second);
  assert.equal(await client.ask("WAIT", 1, 0), 1);
  const id = await client.ask("CLIENT", "ID");
  client.send("WAIT", 2, 0);
  await until("its wait is ended", async () => (await admin.ask("CLIENT", "UNBLOCK", Number(id))) === 1);
  // a replica that has not confirmed the former question yet does not count
  assert.match(String(await client.read()), /^[01]$/);
  assert.equal(await client.ask("PING"), "PONG");
  for (const one of [client, admin]) one.close();
});

alone(
  "a client whose reads are tracked learns that no key is valid when a shard moves, and is tracked at the next primary",
  async () => {
    await using sharded = await Sharded.start(2);
    const [, second] = sharded.engines;
    assert.ok(second !== undefined);
    await using replica = await startEngine();
    await replica.follow(second);
    const [client, writer] = await Promise.all([sharded.client(), sharded.client()]);
    await client.ask("HELLO", 3);
    await client.ask("CLIENT", "TRACKING", "ON");
    const keys = ["{1}", "{2}", "{3}", "{4}"];
    await client.ask("MGET", ...keys);
    await switchOver([sharded.proxy], 2, second, replica, 2);
    assert.deepEqual(await client.read(), new Push(["invalidate", null]));
    assert.deepEqual(await client.ask("MGET", ...keys), [null, null, null, null]);
    const invalid = [];
    for (const key of keys) await writer.ask("SET", key, "x");
    for (const _ of keys) invalid.push(((await client.read()) as Push).values[1]);
    assert.deepEqual(invalid.flat().toSorted(), keys);
    assert.deepEqual(await client.ask("MGET", ...keys), ["x", "x", "x", "x"]);
    assert.equal((await sharded.proxy.stats()).cut, 0);
    for (const one of [client, writer]) one.close();
  },
);

alone(
  "what a client tracks becomes invalid before a later reply of the same shard, and behind the reply that it was in",
  async () => {
    await using sharded = await Sharded.start(2);
    const [first, second] = sharded.engines;
    assert.ok(first !== undefined && second !== undefined);
    const [client, writer] = await Promise.all([sharded.client(), sharded.client()]);
    await client.ask("HELLO", 3);
    await client.ask("CLIENT", "TRACKING", "ON");
    await client.ask("GET", "{3}:a");
    process.kill(first.pid, "SIGSTOP");
    try {
      writer.send("SET", "{3}:a", "1");
      await sharded.proxy.stats();
      client.send("GET", "{3}:b");
      await sharded.proxy.stats();
    } finally {
      process.kill(first.pid, "SIGCONT");
    }
    assert.deepEqual(await client.readMany(2), [new Push(["invalidate", ["{3}:a"]]), null]);
    assert.equal(await writer.read(), "OK");
    process.kill(second.pid, "SIGSTOP");
    try {
      client.send("MGET", "{3}:a", "{4}:a");
      await sharded.proxy.stats();
      for (const value of ["2", "3"]) await writer.ask("SET", "{3}:a", value);
    } finally {
      process.kill(second.pid, "SIGCONT");
    }
    assert.deepEqual(await client.readMany(2), [["1", null], new Push(["invalidate", ["{3}:a"]])]);
    for (const one of [client, writer]) one.close();
  },
);

/** What a client gets for each request, once so many frames as are `wanted` have come unasked. */
async function stepsOf(
  client: RawClient,
  other: RawClient,
  requests: readonly string[],
  wanted: readonly number[] = [],
): Promise<readonly Step[]> {
  await other.ask("FLUSHALL");
  await client.ask("HELLO", 3);
  const steps: Step[] = [];
  for (const [at, request] of requests.entries()) {
    const isOther = request.startsWith("other:");
    if (isOther) await other.ask(...request.slice("other:".length).split(" "));
    client.send(...(isOther ? ["ECHO", "behind"] : request.split(" ")));
    const pushes = (): readonly Push[] => client.unread.filter((frame) => frame instanceof Push);
    const isWhole = (): boolean => pushes().length >= (wanted[at] ?? 0) && client.unread.length > pushes().length;
    await until(`${request} is answered`, isWhole);
    const pushed = [...new Set(pushes().map(({ values }) => JSON.stringify(values)))].toSorted();
    const [reply] = (await client.readMany(client.unread.length)).filter((frame) => !(frame instanceof Push));
    steps.push({ pushed, reply: shown(reply) });
  }
  for (const one of [client, other]) one.close();
  return steps;
}

function shown(frame: Reply | undefined): unknown {
  return frame instanceof Map ? [...frame].flat() : Array.isArray(frame) ? frame : plain(frame);
}
