import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConnectionOptions } from "node:tls";
import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import { clusterNames } from "../../src/core/api/names.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { Secrets } from "#kit/kube/builtin";
import { readCertificate } from "#kit/pki/certificate";
import { findEndpoint } from "../../src/programs/demo/scenario.ts";
import { DEMO, demoDatabase } from "../../src/programs/demo/steps/objects.ts";
import {
  createCluster,
  installOperator,
  upgradeCluster,
  upgradeOperator,
} from "../../src/programs/demo/steps/steps.ts";
import { RawClient } from "../kit/engines/raw-client.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import { authorityNamed, clientPair, endpointCertificate } from "../kit/tls/certificates.ts";
import { startCounting, type CountingLoad } from "../kit/tls/load.ts";
import { startShell } from "../kit/world/shell.ts";
import { startStoryWorld } from "../kit/world/story-world.ts";

const { namespace, database } = DEMO;
const REF = { name: database, namespace };
const HOST = clusterNames.databaseHost(database, namespace);
const PATIENCE = { withinMs: 120_000, everyMs: 50 };
const own = authorityNamed("own");
const clients = authorityNamed("clients");

await using play = await startStoryWorld();
await using type = startShell(process.cwd(), { ...process.env, KUBECONFIG: play.world.kubeconfig });
await using loads = new AsyncDisposableStack();
const { kube } = play.world;
let load: CountingLoad | undefined;

await test("a database whose object asks for TLS and for replies that wait has both from the first client on, through an upgrade of the cluster and a certificate of its user", () =>
  steps(play, {
    "the Secret of the database says how to connect, and the certificate is one of the cluster": serve,
    "operator and cluster are upgraded under load": upgrade,
    "a certificate of the user takes the place of that of the cluster": useOwn,
    "one that cannot be used any more is reported, and the former one stays": breakOwn,
    "clients present a certificate": demandCertificates,
    "no request failed, and nothing is lost": finish,
  }).catch((error: unknown) => {
    throw new Error(play.said(), { cause: error });
  }));

async function serve(): Promise<void> {
  const { stage, older } = play;
  await installOperator(stage, bundleFor(older), older);
  await createCluster(stage, older);
  const { metadata, spec } = demoDatabase("7.2");
  await kube.create(Databases, { metadata, spec: { ...spec, tls: "enabled", durability: "sync" } });
  const status = await reported("it is active", (one) => one.status === "active" && one.authorityDigest !== undefined);
  const days = (Date.parse(status.certificateValidTo ?? "") - Date.now()) / 86_400_000;
  assert.ok(days > 89 && days < 91, `${days} days`);
  const client = await dial();
  assert.match(readCertificate(client.certificate ?? "").issuer, /rec certificate authority/);
  assert.equal(await client.ask("AUTH", (await endpoint()).password), "OK");
  assert.equal(
    await type(`kubectl get secret redb-orders -o jsonpath='{.data.ca\\.crt}' | base64 -d`),
    (await authority()).trimEnd(),
  );
  assert.equal(await (await RawClient.connect(await endpoint())).ask("PING"), undefined, "in plain text");
}

async function upgrade(): Promise<void> {
  const { password, ...place } = await endpoint();
  const ca = [await authority(), own.certificate];
  load = loads.use(startCounting(Array(10).fill(place), { password, tls: { ca, servername: HOST }, gapMs: 5 }));
  await load.goesOn();
  await upgradeOperator(play.stage, play.releases, play.latest);
  await upgradeCluster(play.stage, play.latest);
  await load.goesOn();
  await reported("its replica is in sync again", ({ findings: all = [] }) => all.length === 0);
}

async function useOwn(): Promise<void> {
  await put("mine", endpointCertificate(own, HOST, "", 10));
  await type(`kubectl patch redb orders --type merge -p '{"spec":{"certificateSecretName":"mine"}}'`);
  await until("clients know it by its own authority", async () => (await authority()) === own.certificate, PATIENCE);
  const isShown = async () =>
    readCertificate((await dial()).certificate ?? "").issuer === readCertificate(own.certificate).subject;
  await until("the endpoint shows what it has signed", isShown, PATIENCE);
  const { findings } = await reported("its end is near", ({ findings: all = [] }) => all.length > 0);
  assert.match(findings?.[0]?.evidence ?? "", /spec\.certificateSecretName ends on/);
  const next = endpointCertificate(own, HOST, "", 60);
  await put("mine", next);
  await until("a changed Secret is shown", async () => (await dial()).certificate === next.certificate, PATIENCE);
  await reported("nothing is to be said", ({ findings: all = [] }) => all.length === 0);
  await load?.goesOn();
}

async function breakOwn(): Promise<void> {
  const { certificate } = await dial();
  await put("mine", { ...endpointCertificate(own, HOST), key: endpointCertificate(own, HOST).key });
  const { findings } = await reported("it is wrong", ({ findings: all = [] }) => all[0]?.id === "CertificateInvalid");
  assert.match(findings?.[0]?.evidence ?? "", /the key is not the one of the certificate; endpoints keep the former/);
  await edit({ maxClients: 500 });
  await reported("other edits are applied", ({ conditions }) => conditions?.some(isReady) === true);
  assert.equal((await dial()).certificate, certificate);
  await edit({ certificateSecretName: null });
  await until("the cluster issues one again", async () => (await authority()) !== own.certificate, PATIENCE);
  await load?.goesOn();
}

async function demandCertificates(): Promise<void> {
  assert.deepEqual(await load?.finish(), []);
  await type(`kubectl create secret generic orders-clients --from-file=ca.crt=<(echo '${clients.certificate}')`);
  const mutual = '{"spec":{"tls":"mutual","clientAuthenticationCertificates":["orders-clients"]}}';
  await type(`kubectl patch redb orders --type merge -p '${mutual}'`);
  await until("clients without one are refused", async () => !(await isServed({})), PATIENCE);
  const { certificate: cert, key } = clientPair(clients);
  await until("clients with one are served", () => isServed({ cert, key }), PATIENCE);
}

async function finish(): Promise<void> {
  await edit({ tls: "disabled", clientAuthenticationCertificates: null });
  const isPlain = async (): Promise<boolean> => {
    const client = await RawClient.connect(await endpoint());
    return /NOAUTH/.test(String(await client.ask("PING")));
  };
  await until("clients speak plain text", isPlain, PATIENCE);
  await until("the Secret names no authority", async () => (await authority()) === "", PATIENCE);
}

function isReady({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === "Ready" && status === "True";
}

async function edit(spec: object): Promise<void> {
  await kube.patch(Databases, REF, { type: "merge", body: { spec } });
}

async function put(name: string, { certificate, key }: { readonly certificate: string; readonly key: string }) {
  const stringData = { "tls.crt": certificate, "tls.key": key, "ca.crt": own.certificate };
  if ((await kube.get(Secrets, { name, namespace })) === undefined)
    await kube.create(Secrets, { metadata: { name, namespace }, stringData });
  else await kube.patch(Secrets, { name, namespace }, { type: "merge", body: { stringData } });
}

async function reported(what: string, isMet: (status: DatabaseStatus) => boolean): Promise<DatabaseStatus> {
  let status: DatabaseStatus = {};
  const isReported = async (): Promise<boolean> => {
    const redb = await kube.get(Databases, REF);
    status = redb?.status ?? {};
    return redb?.metadata.generation === status.observedGeneration && isMet(status);
  };
  await until(what, isReported, PATIENCE);
  return status;
}

/** `ca.crt` of the Secret of the database. */
async function authority(): Promise<string> {
  const secret = await kube.get(Secrets, { name: `redb-${database}`, namespace });
  return Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString();
}

async function endpoint() {
  const { host, port, password = "" } = await findEndpoint(play.stage, database);
  return { host, port, password };
}

async function dial(options: ConnectionOptions = {}): Promise<RawClient> {
  return RawClient.connectTls(await endpoint(), { ca: await authority(), servername: HOST, ...options });
}

/** With TLS 1.3 a client that is refused learns it after its handshake. */
async function isServed(options: ConnectionOptions): Promise<boolean> {
  try {
    const client = await dial(options);
    return /NOAUTH/.test(String(await client.ask("PING")));
  } catch {
    return false;
  }
}
