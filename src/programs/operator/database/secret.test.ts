import assert from "node:assert/strict";
import { test } from "node:test";
import { testApi } from "#kubernetes/testing/api-server";
import { FakeClock } from "#kit/testing/fake-clock";
import type { DatabaseStatus } from "../../../core/api/database-status.ts";
import { Secrets } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { encodeBase64, secretText } from "../secrets/secret-text.ts";
import type { Redb } from "./cluster.ts";
import { keepPassword } from "./secret.ts";
import { addressReconciler } from "./secret-address.ts";
import { observeSecret } from "./secret-verdict.ts";

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
  { name: "an empty Secret of the user gets one", before: {}, asks: ["create", "get", "patch"] },
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
    const { password: kept } = await keepPassword({ kube: world.kube, holderOf: () => undefined }, redb(status));
    assert.deepEqual(world.asked, asks);
    assert.equal(secretText(await world.stored(), "password"), kept);
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
  { name: "it is written into what was looked at", before: { password: "x" }, asks: ["get", "patch"] },
  { name: "nothing is asked once the address is reported", status: REPORTED, before: { port: "10000" }, asks: [] },
  {
    name: "another port is written",
    status: { ...REPORTED, internalEndpoints: [{ host: "orders", port: 9_999 }] },
    before: { port: "9999", service_names: "orders" },
    asks: ["get", "patch"],
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
  { name: "a deleted Secret does not come back without a password", asks: ["get"] },
];

for (const { name, status, before, afterMs = 0, asks } of addresses) {
  test(`the address: ${name}`, async () => {
    await using world = await secretWorld(before);
    const clock = new FakeClock();
    const keepAddress = addressReconciler({ kube: world.kube, holderOf: () => undefined, clock, cache: NONE });
    if (afterMs > 0) {
      await keepAddress(redb(status), { port: 10_000, authority: "" }, undefined);
      await clock.advance(afterMs);
    }
    await keepAddress(redb(status), { port: 10_000, authority: "" }, undefined);
    assert.deepEqual(world.asked, asks);
    const stored = await world.stored();
    if (before === undefined) assert.equal(stored, undefined);
    else if (asks.includes("patch")) assert.equal(secretText(stored, "port"), "10000");
  });
}

/** Nothing is followed. */
const NONE = { databases: { list: () => [] } };
const ADDRESS = { port: 10_000, authority: "certificate of rec" };
const HAD: DatabaseStatus = { databaseUID: "1", passwordFrom: { secret: REF.name, resourceVersion: "1" } };

const others: readonly {
  readonly name: string;
  readonly metadata?: object;
  readonly before: Texts;
  readonly status?: DatabaseStatus;
  readonly holder?: string;
  /** Of what is said of it. */
  readonly finding: string;
  /** Keys that stay as they are. */
  readonly stay: readonly string[];
}[] = [
  { name: "of an application", before: { port: "5432", api: "x" }, finding: "SecretNotMarked", stay: ["port", "api"] },
  {
    name: "of a remote cluster, also one that the database has had",
    before: { username: "admin", password: "word", "ca.crt": "theirs" },
    status: HAD,
    holder: "StoreEnterpriseRemoteCluster b",
    finding: "SpecInvalid",
    stay: ["username", "password", "ca.crt"],
  },
  {
    name: "that its owner gives to another database",
    metadata: { annotations: { "storeenterprise.io/databases": "orders2,first" } },
    before: { username: "admin", password: "word" },
    finding: "SecretNotMarked",
    stay: ["username", "password"],
  },
  {
    name: "that its owner gives to it: keys of others stay",
    metadata: { annotations: { "storeenterprise.io/databases": "first, orders" } },
    before: { password: "word", port: "5432" },
    finding: "SecretKeyTaken",
    stay: ["password", "port"],
  },
  {
    name: "that it uses since an older release",
    before: { password: "word", api: "x", port: "1", service_names: "orders" },
    status: HAD,
    finding: "SecretNotMarked",
    stay: ["password", "api"],
  },
];

for (const { name, metadata, before, status, holder, finding, stay } of others) {
  test(`a Secret ${name}`, async () => {
    await using world = await secretWorld(before, metadata);
    const held = holder === undefined ? undefined : { holder, isIrrevocable: true };
    const deps = { kube: world.kube, holderOf: () => held, clock: new FakeClock() };
    const known = {
      get: () => ({ apiVersion: "v1", kind: "Secret", metadata: { ...REF, uid: "s", resourceVersion: "1" } }),
    };
    const { failure, warnings } = await observeSecret(deps, known, redb(status));
    const [said] = [failure, ...warnings].filter((one) => one !== undefined);
    assert.equal(said?.id, finding);
    assert.match(
      said.remedy,
      /^(kubectl annotate secret redb-orders --overwrite storeenterprise|name another Secret|name a Secret)/,
    );
    const password = keepPassword(deps, redb(status));
    await (failure === undefined ? password : assert.rejects(password, /Secret "redb-orders"/));
    for (const _pass of [1, 2]) await addressReconciler({ ...deps, cache: NONE })(redb(status), ADDRESS, undefined);
    const stored = await world.stored();
    for (const key of stay) assert.equal(secretText(stored, key), before[key]);
    assert.equal(secretText(stored, "service_names"), failure === undefined ? "orders" : "");
    if (name.includes("older release")) assert.equal(secretText(stored, "port"), "10000");
  });
}

test("the address: of objects that are gone nothing is remembered, and one that is there is looked at again in time", async () => {
  await using world = await secretWorld({ port: "10000", service_names: "orders" });
  const clock = new FakeClock();
  const there = { databases: { list: () => [redb(REPORTED)] } };
  const keepAddress = addressReconciler({ kube: world.kube, holderOf: () => undefined, clock, cache: there });
  const pass = (uid: string): Promise<unknown> => {
    const { metadata, ...rest } = redb(REPORTED);
    return keepAddress({ ...rest, metadata: { ...metadata, uid } }, { port: 10_000, authority: "" }, undefined);
  };
  await pass(redb(REPORTED).metadata.uid);
  await pass("gone");
  await clock.advance(HALF_AN_HOUR_MS);
  await pass("new"); // from here on there is nothing of the one that is gone
  await pass("gone");
  assert.deepEqual(world.asked, []);
  await pass(redb(REPORTED).metadata.uid);
  assert.deepEqual(world.asked, ["get"]);
});

test("what the operator has written into a Secret of the user it may write again, also for a database that is made anew", async () => {
  await using world = await secretWorld({ password: "word" });
  const deps = { kube: world.kube, holderOf: () => undefined, clock: new FakeClock() };
  await addressReconciler({ ...deps, cache: NONE })(redb(undefined), ADDRESS, undefined);
  await addressReconciler({ ...deps, cache: NONE })(redb(undefined), { ...ADDRESS, port: 10_001 }, undefined);
  assert.equal(secretText(await world.stored(), "port"), "10001");
  assert.equal((await keepPassword(deps, redb(undefined))).password, "word");
});

interface SecretWorld extends AsyncDisposable {
  readonly kube: Kube;
  /** Verbs, in order. */
  readonly asked: readonly string[];
  stored(): ReturnType<typeof readSecret>;
}

async function secretWorld(before: Texts | undefined, metadata: object = {}): Promise<SecretWorld> {
  const api = await testApi();
  if (before !== undefined) {
    const data = Object.fromEntries(Object.entries(before).map(([key, text]) => [key, encodeBase64(text)]));
    await api.kube.create(Secrets, { metadata: { ...REF, ...metadata }, data });
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
