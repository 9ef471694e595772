import assert from "node:assert/strict";
import { test } from "node:test";
import { testApi } from "#kubernetes/testing/api-server";
import { authorityNamed, endpointCertificate } from "../../../../test/kit/tls/certificates.ts";
import { FakeClock } from "#kit/testing/fake-clock";
import { Secrets } from "#kit/kube/builtin";
import type { BdbCertificate } from "../../../ports/management/records.ts";
import { readCertificate } from "#kit/pki/certificate";
import { certificateToGive, observeCertificate, readsForTls } from "./certificate.ts";
import type { Redb } from "./cluster.ts";

const namespace = "default";
const HOST = "orders.default.svc.cluster.local";
const DAY_MS = 86_400_000;
const authority = authorityNamed("rec", 3_650);
const next = authorityNamed("next");
const own = authorityNamed("own");

await using api = await testApi();
const { kube } = api;
const holderOf = () => undefined;
const deps = { kube, holderOf, clock: new FakeClock(new Date()) };
await put("rec-ca", { "ca.crt": authority.certificate, "ca.key": authority.key });
const mine = endpointCertificate(own, HOST, "", 60);
await put("mine", { cert: mine.certificate, key: mine.key, "ca.crt": own.certificate });
await put("no-key", { "tls.crt": mine.certificate });
await put("elsewhere", pairOf(endpointCertificate(own, "db.example.com", "", 60)));
await put("short", pairOf(endpointCertificate(own, HOST, "", 5)));
await put("clients", { "ca.crt": own.certificate });

await test("a certificate of the cluster is given, stays, and is due again a third of its life before its end, and with another authority", async () => {
  const orders = redb({ tls: "enabled" });
  const clock = new FakeClock(new Date());
  assert.equal((await observeCertificate(deps, orders, "rec", undefined)).state, "due");
  const given = await made(orders);
  const shown = { tls_certificate: { certificate: given.certificate, client_authorities: "" } };
  const state = async (): Promise<string> =>
    (await observeCertificate({ kube, holderOf, clock }, orders, "rec", shown)).state;
  assert.match(readCertificate(given.certificate).subjectAltName ?? "", /DNS:orders\.default\.svc\.cluster\.local/);
  assert.equal(await state(), "given");
  await clock.advance(59 * DAY_MS);
  assert.equal(await state(), "given");
  await clock.advance(2 * DAY_MS);
  assert.equal(await state(), "due");
  const renamed = { ...orders, metadata: { ...orders.metadata, name: "other" } };
  assert.equal((await observeCertificate(deps, renamed, "rec", shown)).state, "due");
  await kube.delete(Secrets, { name: "rec-ca", namespace });
  await put("rec-ca", { "ca.crt": next.certificate, "ca.key": next.key });
  assert.equal((await observeCertificate(deps, orders, "rec", shown)).state, "due");
});

await test("one that is as valid as its authority is not issued again and again", async () => {
  await kube.delete(Secrets, { name: "rec-ca", namespace });
  const ends = authorityNamed("ends", 70);
  await put("rec-ca", { "ca.crt": ends.certificate, "ca.key": ends.key });
  const { certificate } = await made(redb({ tls: "enabled" }));
  const shown = { tls_certificate: { certificate, client_authorities: "" } };
  assert.equal((await observeCertificate(deps, redb({ tls: "enabled" }), "rec", shown)).state, "given");
});

await test("a certificate of the user is given as it is, with the authorities of clients", async () => {
  const spec = { tls: "mutual", certificateSecretName: "mine", clientAuthenticationCertificates: ["clients"] } as const;
  const { certificate, key, client_authorities = "" } = await made(redb(spec));
  assert.deepEqual([certificate, key], [mine.certificate, mine.key]);
  assert.equal(`${client_authorities}\n`, own.certificate);
  const shown = { tls_certificate: { certificate, client_authorities } };
  const { state, authority: known } = await observeCertificate(deps, redb(spec), "rec", shown);
  assert.deepEqual([state, known], ["given", own.certificate]);
  const none = { tls_certificate: { certificate, client_authorities: "" } };
  assert.equal((await observeCertificate(deps, redb(spec), "rec", none)).state, "due");
});

for (const [rule, spec, said] of [
  ["a Secret that is not there", { certificateSecretName: "gone" }, /there is no Secret gone/],
  ["one without a key", { certificateSecretName: "no-key" }, /has no keys tls.crt and tls.key/],
  ["one that ends soon", { certificateSecretName: "short" }, /ends on/],
  ["one of other hosts", { certificateSecretName: "elsewhere" }, /names no host of the Service: orders\.default/],
  [
    "no authority of clients",
    { tls: "mutual", clientAuthenticationCertificates: ["no-key", "gone"] },
    /Secret gone has no/,
  ],
] as const)
  await test(`the certificate of a database: ${rule} is reported`, async () => {
    const { why, warning } = await observeCertificate(deps, redb({ tls: "enabled", ...spec }), "rec", undefined);
    assert.match(why + warning, said);
  });

await test("a change of a Secret is looked at by the databases that name it, and by those of the cluster whose authority it is", () => {
  const spec = { tls: "mutual", certificateSecretName: "mine", clientAuthenticationCertificates: ["clients"] } as const;
  const read = ["rec-ca", "mine", "clients", "other"].filter((name) => readsForTls(redb(spec), "rec", name));
  assert.deepEqual(read, ["rec-ca", "mine", "clients"]);
  assert.equal(readsForTls(redb({ ...spec, tls: "disabled" }), "rec", "mine"), false);
});

function redb(spec: object): Redb {
  return {
    apiVersion: "app.storeenterprise.io/v1",
    kind: "StoreEnterpriseDatabase",
    metadata: { name: "orders", namespace, uid: "1", resourceVersion: "1" },
    spec,
  };
}

async function made(of: Redb): Promise<BdbCertificate> {
  const given = await certificateToGive(deps, of, "rec");
  assert.ok(typeof given !== "string", String(given));
  return given;
}

function pairOf({ certificate, key }: { readonly certificate: string; readonly key: string }) {
  return { "tls.crt": certificate, "tls.key": key };
}

async function put(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
  await kube.create(Secrets, { metadata: { name, namespace }, stringData });
}
