import assert from "node:assert/strict";
import { test } from "node:test";
import { secretObjection, type NamedSecret, type SecretUse } from "./given-secret.ts";

const database: SecretUse = { kind: "database", name: "orders", uid: "u-1" };
const certificate: SecretUse = { kind: "certificate", database: "orders" };
const clients: SecretUse = { kind: "client-authorities", database: "orders" };
const module: SecretUse = { kind: "module", url: new URL("https://modules.example.com:8443/wand.zip") };
const license: SecretUse = { kind: "license", cluster: "rec" };
const backupKeys: SecretUse = { kind: "backup-keys", database: "orders" };
const credentials: SecretUse = { kind: "credentials", cluster: "rec" };

const LOGIN = ["username", "password"];
const annotated = (name: string, value: string) => ({ annotations: { [`storeenterprise.io/${name}`]: value } });
const owned = (uid: string) => ({
  ownerReferences: [{ apiVersion: "app.storeenterprise.io/v1", kind: "StoreEnterpriseDatabase", name: "first", uid }],
});

const cases: readonly (readonly [use: SecretUse, facts: Partial<NamedSecret>, says: RegExp | "used"])[] = [
  [database, { keys: ["password"] }, "used"],
  [database, { keys: [] }, "used"],
  [database, { keys: ["password", "api"] }, /annotation storeenterprise.io\/databases with orders/],
  [database, { keys: ["password", "port"] }, /databases with orders/],
  [database, { keys: ["password"], type: "kubernetes.io/basic-auth" }, /databases with orders/],
  [database, { keys: ["token"], type: "kubernetes.io/service-account-token" }, /databases with orders/],
  [database, { keys: ["password", "api"], ...annotated("databases", "first,orders") }, "used"],
  [database, { keys: ["password", "api"], ...annotated("databases", "orders2") }, /databases with orders/],
  [database, { keys: ["password", "port", "service_names", "ca.crt"] }, "used"],
  [database, { keys: ["password", "port"], ...annotated("written-keys", "port") }, "used"],
  [
    database,
    { keys: ["password"], ...owned("u-2"), ...annotated("databases", "orders") },
    /StoreEnterpriseDatabase first/,
  ],
  [database, { keys: ["password", "x"], ...owned("u-1") }, "used"],
  [database, { keys: ["password"], labels: { "storeenterprise.io/cluster": "rec" } }, /StoreEnterpriseCluster rec/],
  [certificate, { keys: ["tls.crt", "tls.key", "ca.crt"], type: "kubernetes.io/tls" }, "used"],
  [certificate, { keys: ["cert", "privateKey"] }, /databases with orders/],
  [certificate, { keys: ["ca.crt", "ca.key"], labels: { "storeenterprise.io/cluster": "rec" } }, /Cluster rec/],
  [certificate, { keys: ["tls.crt", "tls.key", "token"], ...annotated("databases", "orders") }, "used"],
  [clients, { keys: ["ca.crt", "ca.key"] }, "used"],
  [module, { keys: LOGIN }, /annotation storeenterprise.io\/module-hosts with modules.example.com:8443/],
  [module, { keys: LOGIN, ...annotated("module-hosts", "modules.example.com") }, "used"],
  [module, { keys: LOGIN, ...annotated("module-hosts", "modules.example.com:8443") }, "used"],
  [module, { keys: LOGIN, ...annotated("module-hosts", "modules.example.com:443, example.com") }, /module-hosts/],
  [module, { keys: LOGIN, ...annotated("databases", "modules.example.com") }, /module-hosts/],
  [module, { keys: ["ca.crt"] }, "used"],
  [backupKeys, { keys: ["key-1", "key-20"] }, "used"],
  [backupKeys, { keys: ["key-1", "key"] }, /databases with orders/],
  [backupKeys, { keys: ["AWS_ACCESS_KEY_ID"] }, /databases with orders/],
  [backupKeys, { keys: ["key-1"], type: "kubernetes.io/tls" }, /databases with orders/],
  [backupKeys, { keys: ["key-1", "api"], ...annotated("databases", "orders") }, "used"],
  [license, { keys: ["license"] }, "used"],
  [license, { keys: ["license", "api"] }, /annotation storeenterprise.io\/clusters with rec/],
  [credentials, { keys: LOGIN }, /annotation storeenterprise.io\/clusters with rec/],
  [credentials, { keys: LOGIN, ...annotated("clusters", "rec") }, "used"],
];

for (const [use, facts, says] of cases)
  test(`a Secret with ${JSON.stringify(facts)} for a ${use.kind}: ${String(says)}`, () => {
    const objection = secretObjection({ name: "mine", type: undefined, keys: [], ...facts }, use, undefined);
    if (says === "used") assert.equal(objection, undefined);
    else assert.match(objection?.evidence ?? "", says);
  });

test("the remedy can be typed, and keeps what the owner has given the Secret for already", () => {
  const secret = { name: "mine", type: undefined, keys: ["api"], ...annotated("databases", "first") };
  const remedy = "kubectl annotate secret mine --overwrite storeenterprise.io/databases=first,orders";
  assert.equal(secretObjection(secret, database, undefined)?.remedy, remedy);
});

test("a Secret that something of the product uses by its name is given for nothing else, whatever it is annotated with", () => {
  const secret = { name: "rec", type: undefined, keys: ["password"], ...annotated("databases", "orders") };
  assert.match(
    secretObjection(secret, database, "StoreEnterpriseCluster rec")?.evidence ?? "",
    /is used by StoreEnterpriseCluster rec/,
  );
});
