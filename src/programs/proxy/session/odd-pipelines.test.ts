import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { engineNames, startEngine } from "../../../../test/kit/engines/engine.ts";
import { done, endpointFor, startProxy } from "../../../../test/kit/engines/proxy.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { sharing } from "../../../../test/kit/engines/shared.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";

const SHA = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";

/** Requests of one connection that an engine refuses in part, or that change what the next ones mean. */
const PIPELINES = [
  "CLIENT REPLY OFF | SET a 1 | RESET | PING",
  "CLIENT REPLY SKIP | RESET | PING",
  "CLIENT REPLY SKIP | CLIENT REPLY SKIP | ECHO one | ECHO two",
  "CLIENT REPLY SKIP | CLIENT REPLY SKIP | CLIENT GETNAME | CLIENT REPLY SKIP | GET a | GET b",
  "CLIENT REPLY SKIP | CLIENT REPLY ON | PING",
  "CLIENT REPLY SKIP | CLIENT REPLY OFF | PING | CLIENT REPLY ON | PING",
  "CLIENT REPLY SKIP | CLIENT REPLY nosuch | PING",
  "MULTI x | CLIENT GETNAME | CONFIG GET maxmemory-policy | SELECT 1 | SET a 1 | EXEC",
  "SUBSCRIBE ch | MULTI | CONFIG GET maxmemory-policy | UNSUBSCRIBE | CLIENT GETNAME | SET a 1 | EXEC",
  "MULTI | MULTI | CLIENT GETNAME | SET a 1 | EXEC",
  "MULTI | WATCH a | CLIENT SETNAME me | CLIENT GETNAME | SET a 1 | EXEC",
  "MULTI | WATCH a | SELECT 1 | SET a 1 | EXEC | EVAL return 1 0 | SELECT 0 | GET a | SELECT 1 | GET a",
  `MULTI | MULTI | SCRIPT LOAD retrun | EVALSHA ${SHA} 0 | EXEC | SCRIPT EXISTS ${SHA}`,
  "MULTI | DISCARD x | CLIENT GETNAME | SELECT 1 | SET a 1 | EXEC | GET a",
  "MULTI | DISCARD x | DISCARD | CLIENT GETNAME | GET a",
  "MULTI | SET a 1 | EXEC x | CLIENT GETNAME | GET a",
  "MULTI | SET a 1 | RESET x | SET a 2 | EXEC | GET a",
  "MULTI | SET a 1 | SELECT | CLIENT GETNAME | EXEC | GET a",
  "WATCH a | DISCARD x | CLIENT GETNAME | EXEC x | GET a",
  "SUBSCRIBE ch | RESET x | SELECT | CLIENT GETNAME x | PING",
  "HELLO 3 | SUBSCRIBE ch | HELLO 3 SETNAME me | CLIENT GETNAME",
  "SCAN 18446744073709551615 | SCAN 18446744073709551616 | SCAN x",
];

for (const engine of engineNames()) {
  const test = sharing(() => startBoth(engine));
  for (const pipeline of PIPELINES)
    test(`${engine} and an endpoint before it answer alike: ${pipeline}`, async ({ direct, behind, endpoint }) => {
      const requests = [...pipeline.split(" | "), "RESET", "PING the-end"].map((text) =>
        encodeCommand(text.split(" ")),
      );
      // at once, and one after the other
      for (const isAtOnce of [true, false]) {
        const parts = isAtOnce ? [Buffer.concat(requests)] : requests;
        for (const one of [direct, behind]) {
          await one.call("FLUSHALL");
          await one.call("SCRIPT", "FLUSH");
        }
        assert.equal(await answersOf(endpoint.listen, parts), await answersOf(direct, parts));
      }
    });
}

const test = sharing(() => Served.start());

for (const refused of ["DISCARD x", "EXEC x", "MULTI", "WATCH a", "NOSUCH"])
  test(`no client gets a connection on which ${refused} was refused inside MULTI of another one`, async (served) => {
    const [first] = await served.clients(1);
    assert.ok(first !== undefined);
    await first.ask("MULTI");
    await first.ask(...refused.split(" "));
    first.close();
    const [other] = await served.clients(1);
    for (let i = 0; i < 5; i++) assert.equal(await other?.ask("EVAL", "return 'own'", 0), "own");
    other?.close();
  });

test("HELLO names the client's own number and a primary, also behind a move, and on a connection of its own", async (served) => {
  await served.move();
  const [client] = await served.clients(1);
  assert.ok(client !== undefined);
  const id = await client.ask("CLIENT", "ID");
  for (const protocol of ["3", "2"]) {
    assert.deepEqual(greeted(await client.ask("HELLO", protocol)), { id, role: "master" });
    await client.ask("WATCH", "a");
    assert.deepEqual(greeted(await client.ask("HELLO", protocol)), { id, role: "master" });
    await client.ask("UNWATCH");
  }
  client.close();
});

/** An engine, and an endpoint before another one of the same version. */
async function startBoth(engine: string) {
  const stack = new AsyncDisposableStack();
  const direct = stack.use(await startEngine({ engine }));
  const behind = stack.use(await startEngine({ engine }));
  const proxy = stack.use(await startProxy());
  const endpoint = endpointFor(behind);
  await done(proxy.send({ op: "configure", endpoints: [endpoint] }));
  return { direct, behind, endpoint, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function greeted(reply: unknown): unknown {
  const parts = reply instanceof Map ? [...reply].flat() : Array.isArray(reply) ? reply : [];
  const after = (name: string): unknown => parts[parts.findIndex((part) => String(part) === name) + 1];
  return { id: after("id"), role: String(after("role")) };
}

/** All that comes until the last PING is answered, without the numbers of connections. */
async function answersOf({ host, port }: Address, parts: readonly Buffer[]): Promise<string> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, "connect");
  let answers = "";
  const whole = Promise.withResolvers<undefined>();
  socket.on("data", (bytes) => {
    answers += bytes.toString("latin1");
    if (answers.endsWith("the-end\r\n")) whole.resolve(undefined);
  });
  socket.once("close", () => {
    whole.resolve(undefined);
  });
  // an answer that is missing is shown by what is there
  socket.setTimeout(SILENCE_MS, () => {
    whole.resolve(undefined);
  });
  for (const part of parts) socket.write(part);
  await whole.promise;
  socket.destroy();
  return answers.replaceAll(/(\r\nid\r\n:)\d+/g, "$1…");
}

const SILENCE_MS = 20_000;
