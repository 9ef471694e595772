import assert from "node:assert/strict";
import { test } from "node:test";
import { controlledWorld, namespace, type ControlledWorld } from "../../testing/controlled-world.ts";
import { until } from "../../../../controller-kit/src/testing/until.ts";
import * as builtin from "../../../../controller-kit/src/kube/builtin.ts";
import type { ResourceType } from "../../../../controller-kit/src/kube/kube.ts";
import { changeObject } from "../../../../controller-kit/src/kube/records.ts";

async function createOwner(world: ControlledWorld, name: string): Promise<string> {
  return (await world.kube.create(builtin.ConfigMaps, { metadata: { name, namespace } })).metadata.uid;
}

async function createOwned(world: ControlledWorld, name: string, owner: string, uid: string): Promise<void> {
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true }];
  await world.kube.create(builtin.Secrets, { metadata: { name, namespace, ownerReferences } });
}

/** Defines a kind and waits until it is served. */
async function define(world: ControlledWorld, kind: string, plural: string): Promise<ResourceType<object>> {
  const type: ResourceType<object> = { group: "example.com", version: "v1", kind, plural, namespaced: true };
  const schema = { openAPIV3Schema: { type: "object" } };
  await world.kube.create(builtin.CustomResourceDefinitions, {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind, plural },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await until(`${plural} are served`, () =>
    world.kube.list(type).then(
      () => true,
      () => false,
    ),
  );
  return type;
}

/** An owner of a custom kind, and a Secret that it owns. */
async function createPair(world: ControlledWorld, type: ResourceType<object>, owner: string): Promise<void> {
  const { uid } = (await world.kube.create(type, { metadata: { name: owner, namespace } })).metadata;
  const ownerReferences = [{ apiVersion: "example.com/v1", kind: type.kind, name: owner, uid }];
  await world.kube.create(builtin.Secrets, { metadata: { name: "owned", namespace, ownerReferences } });
}

test("a deleted owner takes its dependents along", async () => {
  await using world = await controlledWorld();
  await createOwned(world, "child", "parent", await createOwner(world, "parent"));
  await world.kube.delete(builtin.ConfigMaps, { name: "parent", namespace });
  await until("the child is gone", async () => (await world.get(builtin.Secrets, "child")) === undefined);
});

test("an orphaning deletion leaves them, without the owner's reference", async () => {
  await using world = await controlledWorld();
  await createOwned(world, "orphan", "leaver", await createOwner(world, "leaver"));
  await world.kube.delete(builtin.ConfigMaps, { name: "leaver", namespace }, { propagation: "Orphan" });
  await until("the owner is gone", async () => (await world.get(builtin.ConfigMaps, "leaver")) === undefined);
  assert.deepEqual((await world.get(builtin.Secrets, "orphan"))?.metadata.ownerReferences ?? [], []);
});

test("an object that names an owner that never was is deleted", async () => {
  await using world = await controlledWorld();
  await createOwned(world, "stray", "absent", "00000000-0000-4000-8000-000000000000");
  await until("it is gone", async () => (await world.get(builtin.Secrets, "stray")) === undefined);
});

test("an object with another owner loses only the reference", async () => {
  await using world = await controlledWorld();
  const [one, two] = [await createOwner(world, "one"), await createOwner(world, "two")];
  await createOwned(world, "shared", "one", one);
  await changeObject(world.kube, builtin.Secrets, { name: "shared", namespace }, (secret) => {
    const ownerReferences = [
      ...(secret.metadata.ownerReferences ?? []),
      { apiVersion: "v1", kind: "ConfigMap", name: "two", uid: two },
    ];
    return { ...secret, metadata: { ...secret.metadata, ownerReferences } };
  });
  await world.kube.delete(builtin.ConfigMaps, { name: "one", namespace });
  await until(
    "one reference is left",
    async () => (await world.get(builtin.Secrets, "shared"))?.metadata.ownerReferences?.length === 1,
  );
});

test("a custom resource counts as an owner from the moment its definition is there", async () => {
  await using world = await controlledWorld();
  const Widgets = await define(world, "Widget", "widgets");
  await createPair(world, Widgets, "w");
  await world.kube.delete(Widgets, { name: "w", namespace });
  await until("the secret is gone", async () => (await world.get(builtin.Secrets, "owned")) === undefined);
});

test("dependents of a custom kind are deleted with its definition", async () => {
  await using world = await controlledWorld();
  await createPair(world, await define(world, "Gadget", "gadgets"), "g");
  await world.kube.delete(builtin.CustomResourceDefinitions, { name: "gadgets.example.com" });
  await until("the secret is gone", async () => (await world.get(builtin.Secrets, "owned")) === undefined);
});
