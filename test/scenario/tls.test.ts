import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { clusterNames } from "../../src/core/api/names.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { RawClient } from "../kit/engines/raw-client.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, clientPair, endpointCertificate } from "../kit/tls/certificates.ts";
import { startCounting } from "../kit/tls/load.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { knownNode } from "../kit/world/known-node.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 25 };
const NODES = [1, 2, 3];
const own = authorityNamed("own");
const clients = authorityNamed("clients");

await using cluster = await startTestCluster();

await test("a database that speaks TLS takes a new certificate, another version and clients with certificates under load, and no request fails", async () => {
  const name = "secure";
  const made = await cluster.create({
    name,
    memory_size: 20_000_000,
    replication: true,
    redis_version: "7.4",
    authentication_redis_pass: "w0rd",
    tls_mode: "enabled",
    tls_certificate: sent(name),
  });
  const tls = { ca: own.certificate, servername: hostOf(name) };
  await using load = startCounting(
    NODES.map((node) => placeOf(made, node)),
    { password: "w0rd", tls, gapMs: 2 },
  );
  await load.goesOn();
  const before = made.tls_certificate?.certificate;
  const changed = await cluster.client.call("updateBdb", {
    params: { uid: made.uid },
    body: { tls_certificate: sent(name) },
  });
  assert.notEqual(changed.tls_certificate?.certificate, before);
  await until("each node shows the new one", () => showsEverywhere(changed), PATIENCE);
  await load.goesOn();
  await cluster.client.call("upgradeBdb", { params: { uid: made.uid }, body: { store_version: "8.0" } });
  await until("it is upgraded", async () => (await read(made)).redis_version === "8.0", PATIENCE);
  await load.goesOn();
  assert.deepEqual(await load.finish(), []);

  await assert.rejects(
    cluster.client.call("updateBdb", { params: { uid: made.uid }, body: { tls_mode: "mutual" } }),
    /no authority of the clients of "secure" is named/,
  );
  const body = { tls_mode: "mutual", tls_certificate: sent(name, clients.certificate) } as const;
  await cluster.client.call("updateBdb", { params: { uid: made.uid }, body });
  await until("clients need a certificate", async () => !(await isServed(made, 1, false)), PATIENCE);
  for (const node of NODES) await until(`node ${node} serves who has one`, () => isServed(made, node, true), PATIENCE);
});

await test("TLS is switched on and off while a database serves: clients in plain text are served until then, and no longer", async () => {
  const name = "later";
  const made = await cluster.create({ name, memory_size: 20_000_000 });
  const plain = await RawClient.connect(placeOf(made, 1));
  assert.equal(await plain.ask("SET", "k", "v"), "OK");
  const change = (body: object) => cluster.client.call("updateBdb", { params: { uid: made.uid }, body });
  await assert.rejects(change({ tls_mode: "enabled" }), /the endpoints of "later" have no certificate/);
  assert.equal(await plain.ask("GET", "k"), "v");
  const places = NODES.map((node) => placeOf(made, node));
  await using load = startCounting(places, { password: "", gapMs: 1 });
  await load.goesOn();
  await change({ tls_mode: "enabled", tls_certificate: sent(name) });
  await until("the client in plain text is closed", () => plain.over, PATIENCE);
  plain.end();
  for (const node of NODES) await until(`node ${node} speaks TLS`, () => isServed(made, node, false), PATIENCE);
  assert.deepEqual(await load.shutOut({ ca: own.certificate, servername: hostOf(name) }), []);
  const refused = await RawClient.connect(placeOf(made, 2));
  assert.equal(await refused.ask("GET", "k"), undefined);
  await until("its engines have TLS too", async () => (await read(made)).status === "active", PATIENCE);
  await change({ tls_mode: "disabled" });
  const isPlain = async () => (await (await RawClient.connect(placeOf(made, 1))).ask("GET", "k")) === "v";
  await until("plain text is served again", isPlain, PATIENCE);
});

await test("while a node of an older release is a member, also one that is away, TLS is refused: its endpoint would speak plain text", async () => {
  const [later] = (await cluster.client.call("bdbs")).filter(({ name }) => name === "later");
  assert.ok(later);
  await using _node = await knownNode(cluster, { uid: 9, without: ["client-tls"] });
  await assert.rejects(
    cluster.client.call("updateBdb", { params: { uid: later.uid }, body: { tls_mode: "enabled" } }),
    /endpoints of an older release speak no TLS: node 9/,
  );
});

await test("a certificate that clients could not use is refused, and no key is in a record, an answer or a log", async () => {
  const name = "refused";
  const make = (tls_certificate: object) =>
    cluster.client.call("createBdb", {
      body: { name, memory_size: 20_000_000, tls_mode: "enabled", tls_certificate } as never,
    });
  const good = sent(name);
  await assert.rejects(make({ ...good, key: sent(name).key }), /tls_certificate: .*cannot be used together/);
  await assert.rejects(make({ ...good, certificate: "no PEM" }), /tls_certificate: /);
  await assert.rejects(make({ ...good, client_authorities: "none" }), /client_authorities holds no certificate/);
  await assert.rejects(make(expired()), /tls_certificate: the certificate .* expired/);
  const made = await cluster.create({ name, memory_size: 20_000_000, tls_mode: "enabled", tls_certificate: good });
  const kube = connect(loadKubeConfig({ KUBECONFIG: cluster.kubeconfig }));
  const records = JSON.stringify(await kube.list(ConfigMaps, { namespace: cluster.namespace }));
  await kube.close();
  const logs = NODES.map((uid) => cluster.log(uid)).join("");
  const [, secret = ""] = good.key.split("\n");
  assert.equal(secret.length, 64);
  assert.match(records, /BEGIN CERTIFICATE/);
  for (const text of [records, JSON.stringify(made), logs])
    assert.doesNotMatch(text, new RegExp(`PRIVATE KEY|${secret.replaceAll("+", "\\+")}`));
});

await test("the engine's own command-line client is served", async (context) => {
  const cli = [".engines/redis-7.0.15/bin/redis-cli", ".engines/redis-8.0.2/bin/redis-cli"].find(existsSync);
  if (cli === undefined) return context.skip("there is no redis-cli");
  const { stdout: help } = await promisify(execFile)(cli, ["--help"]).catch((error: { stdout: string }) => error);
  if (!help.includes("--tls")) return context.skip("redis-cli was built without TLS");
  const made = (await cluster.client.call("bdbs")).find(({ tls_mode }) => tls_mode === "enabled");
  assert.ok(made);
  const ca = join(cluster.root(1), "own.crt");
  writeFileSync(ca, own.certificate);
  const { host, port } = placeOf(made, 1);
  const args = ["--tls", "--cacert", ca, "--sni", hostOf(made.name), "-h", host, "-p", String(port), "PING"];
  const { stdout } = await promisify(execFile)(cli, args);
  assert.equal(stdout, "PONG\n");
});

function hostOf(name: string): string {
  return clusterNames.databaseHost(name, cluster.namespace);
}

function sent(name: string, client_authorities = "") {
  const { certificate, key } = endpointCertificate(own, hostOf(name));
  return { certificate, key, client_authorities };
}

function expired() {
  const { certificate, key } = clientPair(own, { expiredDays: 1 });
  return { certificate, key };
}

function placeOf({ port }: BdbRecord, node: number) {
  return { host: cluster.address(node), port };
}

async function read({ uid }: BdbRecord): Promise<BdbRecord> {
  return cluster.client.call("bdb", { params: { uid } });
}

function dial(bdb: BdbRecord, node: number, withCertificate: boolean): Promise<RawClient> {
  const { certificate: cert, key } = clientPair(clients);
  const trusting = { ca: own.certificate, servername: hostOf(bdb.name) };
  return RawClient.connectTls(placeOf(bdb, node), withCertificate ? { ...trusting, cert, key } : trusting);
}

/** With TLS 1.3 a client that is refused learns it after its handshake. */
async function isServed(bdb: BdbRecord, node: number, withCertificate: boolean): Promise<boolean> {
  try {
    const client = await dial(bdb, node, withCertificate);
    const answer = await client.ask("PING");
    client.close();
    return answer === "PONG" || /^-NOAUTH/.test(String(answer));
  } catch {
    return false;
  }
}

async function showsEverywhere(bdb: BdbRecord): Promise<boolean> {
  const shown = await Promise.all(
    NODES.map(async (node) => {
      const client = await dial(bdb, node, false);
      const { certificate } = client;
      client.close();
      return certificate;
    }),
  );
  return shown.every((certificate) => certificate === bdb.tls_certificate?.certificate);
}
