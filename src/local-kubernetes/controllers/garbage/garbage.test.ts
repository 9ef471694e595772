import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { controlledWorld, namespace, type ControlledWorld } from "../../../../test/kit/kubernetes/controlled-world.ts";
import { until } from "../../../../test/kit/time/until.ts";
import * as builtin from "../../../ports/kube/builtin.ts";
import type { ResourceType } from "../../../ports/kube/kube.ts";
import { changeObject } from "../../../ports/kube/records.ts";

let world: ControlledWorld;
before(async () => {
  world = await controlledWorld();
});
after(() => world[Symbol.asyncDispose]());

describe("owners", () => {
  const owned = async (name: string, owner: string, uid: string): Promise<void> => {
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: owner, uid, blockOwnerDeletion: true }];
    await world.kube.create(builtin.Secrets, { metadata: { name, namespace, ownerReferences } });
  };
  const owner = async (name: string): Promise<string> =>
    (await world.kube.create(builtin.ConfigMaps, { metadata: { name, namespace } })).metadata.uid;

  test("a deleted owner takes its dependents along", async () => {
    await owned("child", "parent", await owner("parent"));
    await world.kube.delete(builtin.ConfigMaps, { name: "parent", namespace });
    await until("the child is gone", async () => (await world.get(builtin.Secrets, "child")) === undefined);
  });

  test("an orphaning deletion leaves them, without the owner's reference", async () => {
    await owned("orphan", "leaver", await owner("leaver"));
    await world.kube.delete(builtin.ConfigMaps, { name: "leaver", namespace }, { propagation: "Orphan" });
    await until("the owner is gone", async () => (await world.get(builtin.ConfigMaps, "leaver")) === undefined);
    assert.deepEqual((await world.get(builtin.Secrets, "orphan"))?.metadata.ownerReferences ?? [], []);
  });

  test("an object that names an owner that never was is deleted", async () => {
    await owned("stray", "nobody", "00000000-0000-4000-8000-000000000000");
    await until("it is gone", async () => (await world.get(builtin.Secrets, "stray")) === undefined);
  });

  test("an object with another owner loses only the reference", async () => {
    const [one, two] = [await owner("one"), await owner("two")];
    await owned("shared", "one", one);
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

  test("owners of custom kinds count, from the moment their definition is there", async () => {
    const Widgets: ResourceType<object> = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      namespaced: true,
    };
    const schema = { openAPIV3Schema: { type: "object" } };
    await world.kube.create(builtin.CustomResourceDefinitions, {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await until("widgets are served", () =>
      world.kube.list(Widgets).then(
        () => true,
        () => false,
      ),
    );
    const { uid } = (await world.kube.create(Widgets, { metadata: { name: "w", namespace } })).metadata;
    await world.kube.create(builtin.Secrets, {
      metadata: {
        name: "of-w",
        namespace,
        ownerReferences: [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid }],
      },
    });
    await world.kube.delete(Widgets, { name: "w", namespace });
    await until("the secret is gone", async () => (await world.get(builtin.Secrets, "of-w")) === undefined);
  });

  test("dependents of a custom kind go with its definition", async () => {
    const Gadgets: ResourceType<object> = {
      group: "example.com",
      version: "v1",
      kind: "Gadget",
      plural: "gadgets",
      namespaced: true,
    };
    const schema = { openAPIV3Schema: { type: "object" } };
    const names = { kind: "Gadget", plural: "gadgets" };
    await world.kube.create(builtin.CustomResourceDefinitions, {
      metadata: { name: "gadgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names,
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    await until("gadgets are served", () =>
      world.kube.list(Gadgets).then(
        () => true,
        () => false,
      ),
    );
    const { uid } = (await world.kube.create(Gadgets, { metadata: { name: "g", namespace } })).metadata;
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Gadget", name: "g", uid }];
    await world.kube.create(builtin.Secrets, { metadata: { name: "of-g", namespace, ownerReferences } });
    await world.kube.delete(builtin.CustomResourceDefinitions, { name: "gadgets.example.com" });
    await until("the secret is gone", async () => (await world.get(builtin.Secrets, "of-g")) === undefined);
  });
});
