import assert from "node:assert/strict";
import { test } from "node:test";
import { release } from "../../../../test/kit/facts/cluster-view.ts";
import { startOperatorWorld, type OperatorWorld } from "../../../../test/kit/operator/operator-world.ts";
import { isFault } from "#kit/base/fault";
import { systemClock } from "#kit/reconcile/system-clock";
import { ActiveActiveDatabases, Clusters, RemoteClusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { faults } from "../faults.ts";
import { runStorectl } from "../storectl.ts";

const PLACE = { name: "carts", namespace: "default" };

test("create, add-site, remove-site and update write the object that kubectl would, field by field", async () => {
  await using world = await startNamespace();
  assert.match(
    await typed(world, "create carts --sites here,west:443 memorySize=200MB storeVersion=8.0"),
    /^Made carts with the sites here, west:443\.\nFollow it: storectl active-active health carts\n$/,
  );
  await typed(world, "add-site carts north");
  await typed(world, "update carts replication=true storeVersion=8.2");
  await typed(world, "remove-site carts west --force");
  assert.partialDeepStrictEqual(await specOf(world), {
    participatingClusters: [{ name: "here" }, { name: "north" }],
    globalConfigurations: { memorySize: "200MB", replication: true },
    storeVersion: "8.2",
  });
});

test("what is refused is not written, and each refusal names the field and what is right", async () => {
  await using world = await startNamespace();
  await typed(world, "create carts --sites here,west");
  const before = await specOf(world);
  const refusals: readonly (readonly [line: string, says: RegExp])[] = [
    ["create other --sites here,east", /participatingClusters\[1\]\.name: Not found: "east".*"?here"?.*rerc/],
    ["create other --sites west,north", /none of the sites is the cluster of this namespace; name "here" too/],
    ["add-site carts west", /Duplicate value: "west"/],
    ["update carts memory=1GB", /Unsupported value: "memory": supported values: .*"memorySize"/],
    ["update carts storeVersion=9.9", /storeVersion: .*"8\.2"/],
    [
      "update carts evictionPolicy=allkeys-lru",
      /spec\.globalConfigurations\.evictionPolicy: .*evicts what the link keeps/,
    ],
    ["update carts replication", /"replication": a field and its value have = between them/],
    ["remove-site carts north", /Not found: "north": the sites are here, west/],
    ["remove-site carts here --force", /remove it at another site: west/],
    ["remove-site carts west", /whether "west" is up is not known \(.*\): it may hold writes.*--force/],
  ];
  for (const [line, says] of refusals) {
    await assert.rejects(
      typed(world, line),
      (error) => isFault(error, faults.refused) && says.test(error.message),
      line,
    );
  }
  await assert.rejects(typed(world, "add-site other north"), { message: /no .* "other"; there are: carts/ });
  assert.deepEqual(await specOf(world), before);
});

/** A namespace with a cluster, and remote clusters for it and two others; nothing runs. */
async function startNamespace(): Promise<OperatorWorld> {
  const world = await startOperatorWorld();
  const versionTag = release("8.2.0-12").nodeTag;
  const metadata = { name: "rec", namespace: "default" };
  await world.kube.create(Clusters, { metadata, spec: { storeEnterpriseImageSpec: { versionTag } } });
  for (const [name, recName] of [
    ["here", "rec"],
    ["west", "rec-west"],
    ["north", "rec-north"],
  ] as const) {
    const spec = { recName, recNamespace: "default", apiFqdnUrl: `${name}.example.com` };
    await world.kube.create(RemoteClusters, { metadata: { name, namespace: "default" }, spec });
  }
  return world;
}

async function typed({ kubeconfig }: OperatorWorld, line: string): Promise<string> {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const env = { KUBECONFIG: kubeconfig };
  await runStorectl(["active-active", ...line.split(" ")], { env, store: "", print, clock: systemClock });
  return printed.join("");
}

async function specOf({ kube }: OperatorWorld): Promise<unknown> {
  return (await kube.get(ActiveActiveDatabases, PLACE))?.spec;
}
