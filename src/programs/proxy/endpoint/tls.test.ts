import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { Redis } from "ioredis";
import { done, endpointFor, startProxy, withShard } from "../../../../test/kit/engines/proxy.ts";
import { RawClient } from "../../../../test/kit/engines/raw-client.ts";
import { Served } from "../../../../test/kit/engines/served.ts";
import { settingsWith } from "../../../../test/kit/facts/settings.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, clientPair, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import { endpointSettings } from "../../../core/api/settings/effects.ts";
import type { TlsMode } from "../../../core/api/settings/database-settings.ts";
import type { KeyPair } from "#kit/pki/authority";
import type { EndpointConfig } from "../../../ports/management/proxy-control.ts";

const HOST = "db.ns.svc.cluster.local";
const own = authorityNamed("own");
const other = authorityNamed("other");
const trusting = { ca: own.certificate, servername: HOST };

test("tls enabled: a client with the authority is served, and commands in plain text are not executed", async () => {
  await using served = await Served.start(mode("enabled"));
  const client = await connected(served);
  assert.equal(await client.ask("SET", "k", "v"), "OK");
  const plain = await served.client();
  assert.equal(await plain.ask("SET", "k", "plain"), undefined);
  await until("it is closed", () => plain.over);
  await assert.rejects(connected(served, { ca: other.certificate }), /self-signed|unable to (verify|get)/);
  await assert.rejects(connected(served, { servername: "another.ns.svc" }), /does not match/);
  await assert.rejects(connected(served, { maxVersion: "TLSv1.1", minVersion: "TLSv1.1" }), /version|protocol/);
  assert.equal(await client.ask("GET", "k"), "v");
  await served.move();
  assert.equal(await client.ask("GET", "k"), "v");
});

test("tls mutual: only a client is served that presents a valid certificate of the authority", async () => {
  await using served = await Served.start(mode("mutual", endpointCertificate(own, HOST, other.certificate)));
  const client = await connected(served, pairOf(clientPair(other)));
  assert.equal(await client.ask("PING"), "PONG");
  for (const [why, refused] of [
    ["none", {}],
    ["of another authority", pairOf(clientPair(own))],
    ["expired", pairOf(clientPair(other, { expiredDays: 1 }))],
  ] as const)
    assert.equal(await isServed(served, refused), false, `a certificate that is ${why}`);
  assert.equal(await isServed(served, pairOf(clientPair(other))), true);
});

test("a changed certificate is shown to new clients at once, and cuts none; one that cannot be used changes nothing", async () => {
  await using served = await Served.start(mode("enabled"));
  const first = await connected(served);
  const next = endpointCertificate(own, HOST);
  await configure(served, mode("enabled", next));
  const second = await connected(served);
  assert.equal(second.certificate, next.certificate);
  assert.notEqual(first.certificate, next.certificate);
  await configure(served, mode("enabled", { ...next, key: endpointCertificate(own, HOST).key }));
  const third = await connected(served);
  assert.equal(third.certificate, next.certificate);
  for (const client of [first, second, third]) assert.equal(await client.ask("PING"), "PONG");
});

test("without a certificate an endpoint that speaks TLS accepts no clients, and accepts them once it has one", async () => {
  await using served = await Served.start(mode("enabled", null));
  await assert.rejects(served.client(), /ECONNREFUSED/);
  await configure(served, mode("enabled"));
  assert.equal(await (await connected(served)).ask("PING"), "PONG");
  await configure(served, mode("enabled", null));
  await assert.rejects(served.client(), /ECONNREFUSED/);
});

test("another mode ends the clients of the former one at a boundary between requests, and those that may stay stay", async () => {
  await using served = await Served.start();
  const [idle, transaction] = await served.clients(2);
  await idle?.ask("PING");
  await transaction?.ask("MULTI");
  await transaction?.ask("INCR", "counter");
  await configure(served, mode("enabled"));
  await until("the idle client is closed", () => idle?.over === true);
  assert.deepEqual(await transaction?.ask("EXEC"), [1]);
  for (const client of [idle, transaction]) client?.end();
  const secure = await connected(served);
  assert.equal(await secure.ask("PING"), "PONG");

  const certificate = endpointCertificate(own, HOST, other.certificate);
  await configure(served, mode("mutual", certificate));
  await until("a client without a certificate is closed", () => secure.over);
  secure.end();
  const known = await connected(served, pairOf(clientPair(other)));
  await configure(served, mode("enabled", certificate));
  assert.equal(await (await connected(served)).ask("PING"), "PONG");
  assert.equal(await known.ask("PING"), "PONG");

  await configure(served, mode("disabled"));
  await until("clients that speak TLS are closed", () => known.over);
  assert.equal(await (await served.client()).ask("PING"), "PONG");
});

test("a client library over TLS moves to another proxy without a failed request", async () => {
  await using served = await Served.start(mode("enabled"));
  await using second = await startProxy();
  const elsewhere = endpointFor(served.primary, mode("enabled"));
  await done(second.send({ op: "configure", endpoints: [elsewhere] }));
  const clients = Array.from({ length: 20 }, () => new Redis({ ...served.endpoint.listen, tls: trusting }));
  using _clients = { [Symbol.dispose]: () => clients.forEach((client) => client.disconnect()) };
  for (const client of clients) client.on("error", () => undefined); // a failed request is what counts
  const counts = clients.map(() => 0);
  let isOver = false;
  const load = clients.map(async (client, i) => {
    while (!isOver) counts[i] = await client.incr(`counter:${i}`);
  });
  await until("there is load", () => counts.every((count) => count > 10));
  for (const client of clients) Object.assign(client.options, elsewhere.listen);
  const drained = await done(served.proxy.send({ op: "drain", deadlineMs: 30_000 }));
  const before = [...counts];
  await until("all go on", () => counts.every((count, i) => count > (before[i] ?? 0) + 10));
  isOver = true;
  await Promise.all(load);
  assert.deepEqual(drained, { ok: true, op: "drain", closed: 20, remaining: 0 });
});

test("a drain leaves no client in its handshake", async () => {
  await using served = await Served.start(mode("enabled"));
  await using silent = await sockets(served, 10, "");
  await done(served.proxy.send({ op: "drain", deadlineMs: 100 }));
  await until("all are cut", () => silent.all.every(({ destroyed }) => destroyed), { withinMs: 3_000 });
});

test("clients that do not end their handshake cost little, are cut, and keep no other client from being served", async () => {
  await using served = await Served.start(mode("enabled"));
  const before = residentOf(served.proxy.pid);
  await using silent = await sockets(served, 1000, "");
  await using halfway = await sockets(served, 1000, await helloOf());
  assert.equal(await isServed(served, {}), true);
  if (process.platform === "linux") assert.ok(residentOf(served.proxy.pid) - before < 128 * 1024);
  await until("all are cut", () => [...silent.all, ...halfway.all].every(({ destroyed }) => destroyed), {
    withinMs: 30_000,
  });
});

/** Null: the database has no certificate yet. */
function mode(
  tlsMode: TlsMode,
  certificate: EndpointCertificate | null = endpointCertificate(own, HOST),
): Partial<EndpointConfig> {
  const settings = endpointSettings(settingsWith({ tlsMode }));
  return certificate === null ? { settings } : { settings, certificate };
}

async function configure(served: Served, change: Partial<EndpointConfig>): Promise<void> {
  const { host, port } = served.primary;
  const { certificate: _, ...endpoint } = served.endpoint;
  const endpoints = [{ ...withShard(endpoint, { epoch: served.epoch, primary: { host, port } }), ...change }];
  await done(served.proxy.send({ op: "configure", endpoints }));
}

function connected(served: Served, options: ConnectionOptions = {}): Promise<RawClient> {
  return RawClient.connectTls(served.endpoint.listen, { ...trusting, ...options });
}

/** With TLS 1.3 a client that is refused learns it after its handshake. */
async function isServed(served: Served, options: ConnectionOptions): Promise<boolean> {
  try {
    const client = await connected(served, options);
    return (await client.ask("PING")) === "PONG";
  } catch {
    return false;
  }
}

function pairOf({ certificate, key }: KeyPair): ConnectionOptions {
  return { cert: certificate, key };
}

/** The first bytes of a client that wants to speak TLS. */
async function helloOf(): Promise<Buffer> {
  const written = Promise.withResolvers<Buffer>();
  const recorder = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer) => {
      written.resolve(bytes);
    },
  });
  const client = connectTls({ socket: recorder, ...trusting }).on("error", () => undefined);
  const hello = await written.promise;
  client.destroy();
  return hello;
}

async function sockets(served: Served, count: number, first: Buffer | string) {
  const all: Socket[] = Array.from({ length: count }, () => connect(served.endpoint.listen));
  for (const socket of all) socket.on("error", () => undefined);
  await Promise.all(all.map((socket) => once(socket, "connect")));
  for (const socket of all) socket.resume().write(first);
  const close = (): Promise<void> => {
    for (const socket of all) socket.destroy();
    return Promise.resolve();
  };
  return { all, [Symbol.asyncDispose]: close };
}

/** In kibibytes. */
function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}
