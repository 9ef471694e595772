import assert from "node:assert/strict";
import { test as testOnce } from "node:test";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { plain, RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { listOf, Push, textOf, type Reply } from "../../../ports/resp/reply.ts";

const test = sharing(() => Served.start());

/** What a client sends before keys are changed: CLIENT TRACKING with these options, and these requests behind it. */
const CASES: readonly (readonly [options: string, ...requests: readonly string[]])[] = [
  ["", "HSCAN hash 0"],
  ["", "SSCAN set 0", "ZSCAN sorted 0"],
  ["", "SCAN 0 MATCH text"],
  ["", "HSCAN none 0", "HSCAN set 0"],
  ["", "HSCAN hash 0 FOO", "SSCAN set x"],
  ["", "HSCAN hash 0 NOVALUES"],
  ["NOLOOP", "HSCAN hash 0", "HSET hash own 1", "SSCAN set 0"],
  ["OPTIN", "HSCAN hash 0"],
  ["OPTIN", "CLIENT CACHING yes", "HSCAN hash 0", "SSCAN set 0"],
  ["OPTIN", "CLIENT CACHING yes", "SCAN 0 MATCH text", "HSCAN hash 0"],
  ["OPTOUT", "HSCAN hash 0"],
  ["OPTOUT", "CLIENT CACHING no", "HSCAN hash 0", "ZSCAN sorted 0"],
  ["OPTOUT", "CLIENT CACHING no", "SCAN 0 MATCH text", "GET text"],
  ["BCAST PREFIX h", "HSCAN hash 0", "SSCAN set 0"],
  ["OPTIN", "CLIENT CACHING yes", "MULTI", "HSCAN hash 0", "EXEC"],
  ["", "HSCAN hash 0", "CLIENT TRACKING off", "SSCAN set 0"],
];

for (const engine of engineNames())
  testOnce(`what a scan reads is tracked at an endpoint as at ${engine}`, async () => {
    await using direct = await startEngine({ engine });
    await using behind = await startEngine({ engine });
    await using proxy = await startProxy();
    const endpoint = endpointFor(behind);
    await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
    for (const [options, ...requests] of CASES) {
      const [own, other] = [await sentAt(endpoint.listen, options, requests), await sentAt(direct, options, requests)];
      assert.deepEqual(own, other, `${options}: ${requests.join(", ")}`);
    }
    const sent = await sentAt(endpoint.listen, "", ["HSCAN hash 0"]);
    assert.deepEqual(sent.at(-2), ["invalidate", ["hash"]], "the comparison sees what it compares");
  });

test("a tracked scan goes on at its primary, begins anew at the next one, and misses nothing", async (served) => {
  const [client, writer] = [await modern(served.endpoint.listen), await served.client()];
  await writer.ask("EVAL", `for i = 1, ${FIELDS} do redis.call('HSET', 'large', 'f' .. i, i) end`, 0);
  await client.ask("CLIENT", "TRACKING", "ON");
  const [seen, cursor, calls] = [new Set<string>(), { at: "0" }, { made: 0 }];
  const goOn = async (most: number): Promise<void> => {
    for (let i = 0; i < most && (cursor.at !== "0" || i === 0); i++) {
      const [at, found] = listOf((await client.ask("HSCAN", "large", cursor.at, "COUNT", 100)) ?? []);
      cursor.at = textOf(at ?? "");
      calls.made++;
      for (const [n, item] of listOf(found ?? []).entries()) if (n % 2 === 0) seen.add(textOf(item));
    }
  };
  await goOn(Infinity);
  assert.equal(seen.size, FIELDS);
  assert.ok(calls.made < (2 * FIELDS) / 100, "each call goes on where the one before has ended");
  seen.clear();
  await goOn(5);
  assert.notEqual(cursor.at, "0");
  await served.move();
  assert.deepEqual(shown(await client.read()), ["invalidate", null]);
  await goOn(Infinity);
  assert.equal(seen.size, FIELDS);
  await writer.ask("HSET", "large", "f1", "changed");
  assert.deepEqual(shown(await client.read()), ["invalidate", ["large"]]);
  // a cursor of a tracked scan serves without tracking too
  await client.ask("CLIENT", "TRACKING", "OFF");
  seen.clear();
  await goOn(Infinity);
  assert.equal(seen.size, FIELDS);
  for (const one of [client, writer]) one.close();
});

const FIELDS = 2000;

/** What a client gets that sends these requests, and whose keys another one then changes. */
async function sentAt(address: Address, options: string, requests: readonly string[]): Promise<readonly unknown[]> {
  const [client, writer] = [await modern(address), await RawClient.connect(address)];
  await writer.ask("FLUSHALL");
  for (const request of FILLED) await writer.ask(...request.split(" "));
  const got: unknown[] = [];
  await client.ask("SUBSCRIBE", "end");
  for (const request of [`CLIENT TRACKING on ${options}`.trim(), ...requests])
    got.push(shown(await client.ask(...request.split(" "))));
  for (const request of CHANGED) await writer.ask(...request.split(" "));
  await writer.ask("PUBLISH", "end", "");
  while (!client.over && String(got.at(-1)) !== "message,end,") got.push(shown(await client.read()));
  for (const one of [client, writer]) one.close();
  return got;
}

const FILLED = ["HSET hash f 1", "SADD set m", "ZADD sorted 1 m", "SET text 1"];
const CHANGED = ["HSET hash f 2", "SADD set n", "ZADD sorted 2 m", "SET text 2", "HSET none f 1"];

function shown(frame: Reply | undefined): unknown {
  return frame instanceof Push ? frame.values : plain(frame);
}

async function modern(address: Address): Promise<RawClient> {
  const client = await RawClient.connect(address);
  await client.ask("HELLO", 3);
  return client;
}
