import assert from "node:assert/strict";
import { test } from "node:test";
import { testApi } from "../../../../test/kit/kubernetes/api-server.ts";
import { FakeClock } from "../../../../test/kit/time/fake-clock.ts";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { Secrets } from "../../../ports/kube/builtin.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { encoded, textOf } from "../objects/secret-text.ts";
import type { Redb } from "./cluster.ts";
import { addressReconciler, keepPassword } from "./secret.ts";

const namespace = "default";
const REF = { name: "redb-orders", namespace };
const MADE: DatabaseStatus = { databaseSecretName: REF.name };
const REPORTED: DatabaseStatus = { ...MADE, internalEndpoints: [{ host: "orders", port: 10_000 }] };
const HALF_AN_HOUR_MS = 30 * 60_000;

/** Keys and values of the Secret as they are stored: before, and after. */
type Texts = Readonly<Record<string, string>>;

const passwords: readonly {
  readonly name: string;
  readonly status?: DatabaseStatus;
  readonly before?: Texts;
  readonly asks: readonly string[];
  /** A random one when absent. */
  readonly password?: string;
}[] = [
  { name: "that of a new database is made without looking for it", asks: ["create"] },
  {
    name: "that of a new database whose user made the Secret is the user's",
    before: { password: "mine" },
    asks: ["create", "get"],
    password: "mine",
  },
  {
    name: "a Secret of the user without one gets one",
    before: { note: "mine" },
    asks: ["create", "get", "patch"],
  },
  {
    name: "the password of a database that the status names is read",
    status: MADE,
    before: { password: "first" },
    asks: ["get"],
    password: "first",
  },
  { name: "a password Secret that was deleted is made again", status: MADE, asks: ["get", "create"] },
];

for (const { name, status, before, asks, password } of passwords) {
  test(`the password: ${name}`, async () => {
    await using world = await secretWorld(before);
    const { password: kept } = await keepPassword(world.kube, redb(status));
    assert.deepEqual(world.asked, asks);
    assert.equal(textOf(await world.stored(), "password"), kept);
    if (password === undefined) assert.match(kept, /^[\w-]{32}$/);
    else assert.equal(kept, password);
  });
}

const addresses: readonly {
  readonly name: string;
  readonly status?: DatabaseStatus;
  readonly before?: Texts;
  readonly afterMs?: number;
  readonly asks: readonly string[];
}[] = [
  { name: "it is written without looking", before: { password: "x" }, asks: ["patch"] },
  { name: "nothing is asked once the address is reported", status: REPORTED, before: { port: "10000" }, asks: [] },
  {
    name: "another port is written",
    status: { ...REPORTED, internalEndpoints: [{ host: "orders", port: 9_999 }] },
    before: { port: "9999" },
    asks: ["patch"],
  },
  {
    name: "a changed Secret is put right within half an hour",
    status: REPORTED,
    before: { port: "1", service_names: "orders" },
    afterMs: HALF_AN_HOUR_MS,
    asks: ["get", "patch"],
  },
  {
    name: "an unchanged Secret is left alone after half an hour",
    status: REPORTED,
    before: { port: "10000", service_names: "orders" },
    afterMs: HALF_AN_HOUR_MS,
    asks: ["get"],
  },
  { name: "a deleted Secret does not come back without a password", asks: ["patch"] },
];

for (const { name, status, before, afterMs = 0, asks } of addresses) {
  test(`the address: ${name}`, async () => {
    await using world = await secretWorld(before);
    const clock = new FakeClock();
    const keepAddress = addressReconciler(world.kube, clock);
    if (afterMs > 0) {
      await keepAddress(redb(status), { port: 10_000, authority: "" }, undefined);
      await clock.advance(afterMs);
    }
    await keepAddress(redb(status), { port: 10_000, authority: "" }, undefined);
    assert.deepEqual(world.asked, asks);
    const stored = await world.stored();
    if (before === undefined) assert.equal(stored, undefined);
    else if (asks.includes("patch")) assert.equal(textOf(stored, "port"), "10000");
  });
}

interface SecretWorld extends AsyncDisposable {
  readonly kube: Kube;
  /** Verbs, in order. */
  readonly asked: readonly string[];
  stored(): ReturnType<typeof readSecret>;
}

async function secretWorld(before: Texts | undefined): Promise<SecretWorld> {
  const api = await testApi();
  if (before !== undefined) {
    const data = Object.fromEntries(Object.entries(before).map(([key, text]) => [key, encoded(text)]));
    await api.kube.create(Secrets, { metadata: REF, data });
  }
  const asked: string[] = [];
  const kube: Kube = {
    ...api.kube,
    get: (...given) => (asked.push("get"), api.kube.get(...given)),
    create: (...given) => (asked.push("create"), api.kube.create(...given)),
    patch: (...given) => (asked.push("patch"), api.kube.patch(...given)),
  };
  return {
    kube,
    asked,
    stored: () => readSecret(api.kube),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}

function readSecret(kube: Kube) {
  return kube.get(Secrets, REF);
}

function redb(status: DatabaseStatus | undefined): Redb {
  return {
    apiVersion: "app.storeenterprise.io/v1",
    kind: "StoreEnterpriseDatabase",
    metadata: { name: "orders", namespace, uid: "u-1", resourceVersion: "1" },
    spec: {},
    ...(status === undefined ? {} : { status }),
  };
}
