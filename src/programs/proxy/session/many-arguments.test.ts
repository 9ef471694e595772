import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { plain } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import { untilBlocked } from "../../../../test/kit/engines/until-blocked.ts";
import { until } from "#kit/testing/until";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const test = sharing(() => Served.start());
/** More than a call of a function takes. */
const MANY = 130_000;

for (const command of ["SINTER", "PFCOUNT"])
  test(`${command} of very many keys is answered, and harms no other client`, async (served) => {
    const [client, other] = await served.clients(2);
    assert.ok(client !== undefined && other !== undefined);
    client.write(encodeCommand([command, ...namesOf(MANY)]));
    assert.deepEqual(plain(await client.read()), ANSWERS[command]);
    assert.equal(await other.ask("PING"), "PONG");
    for (const each of [client, other]) each.close();
  });

test("HELLO takes very many options, and the last name counts", async (served) => {
  const client = await served.client();
  client.write(encodeCommand(["HELLO", "3", ...namesOf(20_000).flatMap((name) => ["SETNAME", name])]));
  assert.ok((await client.read()) instanceof Map);
  assert.equal(String(await client.ask("CLIENT", "GETNAME")), "k19999");
  client.close();
});

test("XREAD from now on of very many streams goes on at the next primary", async (served) => {
  const [reader, writer] = await served.clients(2);
  assert.ok(reader !== undefined && writer !== undefined);
  const streams = namesOf(1_000);
  await writer.ask("XADD", "k7", "1-1", "f", "before");
  reader.write(encodeCommand(["XREAD", "BLOCK", "0", "STREAMS", ...streams, ...streams.map(() => "$")]));
  await untilBlocked(served.primary, 1);
  await served.move();
  await writer.ask("XADD", "k7", "2-1", "f", "after");
  assert.deepEqual(plain(await reader.read()), [["k7", [["2-1", ["f", "after"]]]]]);
  for (const each of [reader, writer]) each.close();
});

test("a subscriber to very many channels has all of them after a move", async (served) => {
  const [subscriber, writer] = await served.clients(2);
  assert.ok(subscriber !== undefined && writer !== undefined);
  subscriber.write(encodeCommand(["SUBSCRIBE", ...namesOf(10_000)]));
  assert.deepEqual((await subscriber.readMany(10_000)).at(-1), ["subscribe", "k9999", 10_000]);
  await served.move();
  await until("it is subscribed there", async () => (await writer.ask("PUBLISH", "k9999", "hello")) === 1);
  assert.deepEqual(await subscriber.read(), ["message", "k9999", "hello"]);
  for (const each of [subscriber, writer]) each.close();
});

test("a request has as many arguments as docs/commands.md says; one more is an error that ends the connection", async (served) => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/commands.md"), "utf8");
  const most = Number(/A request has at most ([\d,]+) arguments/.exec(page)?.[1]?.replaceAll(",", ""));
  const [client, beyond] = await served.clients(2);
  assert.ok(client !== undefined && beyond !== undefined);
  client.write(`*${most}\r\n$6\r\nEXISTS\r\n${"$1\r\nk\r\n".repeat(most - 1)}`);
  assert.equal(await client.read(), 0);
  beyond.write(`*${most + 1}\r\n$6\r\nEXISTS\r\n`);
  assert.match(String(plain(await beyond.read())), /^-ERR Protocol error: invalid multibulk length/);
  assert.equal(await beyond.read(), undefined);
  for (const each of [client, beyond]) each.close();
});

const ANSWERS: Readonly<Record<string, unknown>> = { SINTER: [], PFCOUNT: 0 };

function namesOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `k${i}`);
}
