import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "./cluster-spec.ts";
import { customResourceDefinitions } from "./crd.ts";
import { databaseSpec, globalConfiguration } from "./database-spec.ts";
import { memoryBytes } from "./settings/memory.ts";
import type { StructuralSchema } from "./structural.ts";

test("an empty cluster spec is filled with the defaults of the product", () => {
  const spec = clusterSpec.parse({});
  assert.equal(spec.nodes, 3);
  assert.equal(spec.storeEnterpriseTerminationGracePeriodSeconds, 31_536_000);
  assert.deepEqual(spec.persistentSpec, { enabled: true, volumeSize: "20Gi" });
  assert.equal(spec.autoUpgradeStoreEnterprise, undefined);
});

test("an empty database spec is filled with the defaults of the product", () => {
  assert.deepEqual(databaseSpec.parse({}), {
    memorySize: "100MB",
    replication: false,
    persistence: "disabled",
    durability: "async",
    withoutReplica: "degrade",
    evictionPolicy: "volatile-lru",
    engineParameters: {},
    maxClients: 0,
    ossCluster: false,
    tls: "disabled",
    passwordOverlapSeconds: 300,
    shardsPlacement: "sparse",
    proxyPolicy: "all-nodes",
    parallelShardsUpgrade: 0,
    storeUpgradePolicy: "latest",
    type: "redis",
  });
});

test("the sites of an Active-Active database agree on one shard where they say nothing, as sites of older releases do", () => {
  assert.equal(globalConfiguration.parse({}).shardCount, 1);
});

for (const [name, schema, input, path] of [
  ["storeVersion must be a string", databaseSpec, { storeVersion: 7.2 }, "storeVersion"],
  ["storeVersion must be one that is supported", databaseSpec, { storeVersion: "9.9" }, "storeVersion"],
  ["memorySize has a unit", databaseSpec, { memorySize: "100" }, "memorySize"],
  ["evictionPolicy is a known one", databaseSpec, { evictionPolicy: "lru" }, "evictionPolicy"],
  ["nodes is a number", clusterSpec, { nodes: "three" }, "nodes"],
  [
    "a digest is a digest",
    clusterSpec,
    { storeEnterpriseImageSpec: { digestHash: "abc" } },
    "storeEnterpriseImageSpec.digestHash",
  ],
  ["a module has a source", clusterSpec, { userDefinedModules: [{ name: "m" }] }, "userDefinedModules.0.source"],
] as const) {
  test(`bad input names the field: ${name}`, () => {
    const result = schema.safeParse(input);
    assert.equal(result.error?.issues[0]?.path.join("."), path);
  });
}

test("the columns of `kubectl get rec` are those of §2.4", () => {
  const [cluster, database] = customResourceDefinitions().map((crd) =>
    crd.spec.versions[0].additionalPrinterColumns.map((column) => column.name.toUpperCase()).join(", "),
  );
  assert.equal(
    cluster,
    "NODES, VERSION, STATE, SPEC STATUS, LICENSE STATE, SHARDS LIMIT, LICENSE EXPIRATION DATE, AGE",
  );
  assert.equal(database, "VERSION, PORT, CLUSTER, SHARDS, STATUS, SPEC STATUS, AGE");
});

test("every schema is structural: a type or int-or-string everywhere, and a description on every field", () => {
  for (const crd of customResourceDefinitions()) {
    const { properties } = crd.spec.versions[0].schema.openAPIV3Schema;
    for (const part of [properties.spec, properties.status]) assertStructural(part, crd.metadata.name);
  }
});

test("every field of the contract (§2.2, §2.3) is there by exactly its name", () => {
  const [cluster, database, activeActive] = customResourceDefinitions().map((crd) =>
    Object.keys(crd.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties ?? {}),
  );
  for (const name of [
    "autoUpgradeStoreEnterprise",
    "storeEnterpriseImageSpec",
    "userDefinedModules",
    "storeUpgradePolicy",
  ])
    assert.ok(cluster?.includes(name), name);
  assert.ok(database?.includes("storeVersion"));
  for (const name of ["storeVersion", "moduleList"]) assert.ok(activeActive?.includes(name), name);
});

test("sizes are read with decimal and binary units", () => {
  assert.equal(memoryBytes("100MB"), 100_000_000);
  assert.equal(memoryBytes("0.5GB"), 500_000_000);
  assert.equal(memoryBytes("1Gi"), 1_073_741_824);
  assert.equal(memoryBytes("12"), undefined);
});

function assertStructural(schema: StructuralSchema, path: string): void {
  assert.ok(schema.type ?? schema["x-kubernetes-int-or-string"], `${path} has a type`);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    assert.ok(field.description, `${path}.${name} has a description`);
    assertStructural(field, `${path}.${name}`);
  }
  if (schema.items !== undefined) assertStructural(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) assertStructural(schema.additionalProperties, `${path}{}`);
}
