import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { createAuthority, issue } from "#kit/pki/authority";
import { SECRET_NOT_MADE } from "./answer.ts";
import { attemptsOf, type AttemptFailure } from "./attempt.ts";
import { managementClient } from "./client.ts";

const NAME = "rec.default.svc.cluster.local";
const now = new Date();
const [trusted, other] = ["trusted", "other"].map((commonName) => createAuthority({ commonName, now, days: 1 }));
assert.ok(trusted && other);

interface Case {
  readonly name: string;
  readonly server: () => Server;
  readonly failure: AttemptFailure;
}
const cases: readonly Case[] = [
  { name: "nothing listens", server: () => createServer(), failure: "refused" },
  { name: "another authority", server: () => tlsServer(other, NAME), failure: "certificate" },
  { name: "the name of another cluster", server: () => tlsServer(trusted, "else.default.svc"), failure: "certificate" },
  {
    name: "a connection that ends before the answer",
    server: () => tlsServer(trusted, NAME).on("request", ({ socket }) => socket.destroy()),
    failure: "closed",
  },
  { name: "no answer in time", server: () => tlsServer(trusted, NAME), failure: "timeout" },
  {
    name: "a node that has not joined",
    server: () => tlsServer(trusted, NAME).on("request", (_request, response) => response.writeHead(503).end("{}")),
    failure: "notJoined",
  },
];
for (const { name, server, failure } of cases) {
  test(`why a node gave no answer: ${name}`, async (t) => {
    const serving = server().listen(0, "127.0.0.1");
    await once(serving, "listening");
    const { port } = serving.address() as AddressInfo;
    if (failure === "refused") serving.close();
    const client = managementClient({
      // nothing listens at the second address: an answer of the last one would count, whatever it is
      addresses: () => (failure === "notJoined" ? ["127.0.0.1", "127.0.0.2"] : ["127.0.0.1"]),
      port,
      serverName: NAME,
      ca: trusted.certificate,
      username: "admin",
      password: "secret",
      timeoutMs: failure === "timeout" ? 1_000 : 60_000,
    });
    t.after(async () => {
      await client.destroy();
      serving.close();
      serving.closeAllConnections();
    });
    const error: unknown = await client.call("nodes").catch((thrown: unknown) => thrown);
    assert.equal(attemptsOf(error)[0]?.failure, failure, String(error));
  });
}

test("what the whole cluster lacks is the answer of the first node, and no other one is asked", async (t) => {
  const body = JSON.stringify({ error_code: SECRET_NOT_MADE, description: "no Secret is there" });
  const serving = tlsServer(trusted, NAME).on("request", (_request, response) => response.writeHead(503).end(body));
  await once(serving.listen(0, "127.0.0.1"), "listening");
  const { port } = serving.address() as AddressInfo;
  const trust = { serverName: NAME, ca: trusted.certificate, username: "admin", password: "secret" };
  const addresses = (): readonly string[] => ["127.0.0.1", "127.0.0.2"];
  const client = managementClient({ ...trust, addresses, port, timeoutMs: 60_000 });
  t.after(async () => {
    await client.destroy();
    serving.close();
    serving.closeAllConnections();
  });
  const error: unknown = await client.call("nodes").catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Fault);
  assert.deepEqual([error.details.status, error.details.error_code], [503, SECRET_NOT_MADE]);
});

function tlsServer(authority: typeof trusted, name: string): Server {
  assert.ok(authority);
  const names = { commonName: name, dnsNames: [name], ipAddresses: [] };
  const { certificate, key } = issue(authority, { ...names, usages: ["server"], now, days: 1 });
  return createTlsServer({ cert: certificate, key });
}
