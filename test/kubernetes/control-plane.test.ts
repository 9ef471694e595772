import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { ConfigMaps, ServiceAccounts } from "#kit/kube/builtin";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import { until } from "#kit/testing/until";
import { skipWithout, VERSION } from "./assets/assets.ts";
import { startControlPlane } from "./control-plane/control-plane.ts";
import { pidsOf, startElsewhere } from "./other-owner.ts";
import { startTimeOf } from "./machine/proc.ts";

const skip = skipWithout("api");

test("a control plane answers its administrator in the pinned version", { skip }, async () => {
  await using real = await startControlPlane();
  const env = { KUBECONFIG: real.kubeconfig, HOME: real.folder };
  const said = spawnSync(real.kubectl, ["version"], { env, encoding: "utf8" });
  if (process.env["KUBEBUILDER_ASSETS"] === undefined)
    assert.match(said.stdout, new RegExp(`Server Version: ${VERSION}`));
  const created = await real.kube.create(ConfigMaps, {
    metadata: { namespace: "default", name: "one" },
    data: { a: "1" },
  });
  assert.deepEqual(created.data, { a: "1" });
});

test(
  "users and service accounts are known by their credentials, and may do what RBAC lets them",
  { skip },
  async () => {
    await using real = await startControlPlane();
    await real.kube.create(ServiceAccounts, { metadata: { namespace: "default", name: "robot" } });
    const jane = real.kubeconfigOfUser({ name: "jane", groups: ["dev"] });
    const robot = await real.kubeconfigOfServiceAccount({ namespace: "default", name: "robot" });
    assert.match(await refusal(jane), /User "jane" cannot list resource "configmaps"/);
    assert.match(await refusal(robot), /User "system:serviceaccount:default:robot" cannot list resource "configmaps"/);
  },
);

test("the state survives the API server", { skip }, async () => {
  await using real = await startControlPlane({ controllers: false });
  await real.kube.create(ConfigMaps, { metadata: { namespace: "default", name: "kept" } });
  await real.stopApiServer();
  await assert.rejects(real.kube.get(ConfigMaps, { namespace: "default", name: "kept" }));
  await real.startApiServer();
  assert.equal((await real.kube.get(ConfigMaps, { namespace: "default", name: "kept" }))?.metadata.name, "kept");
});

test(
  "a program that does not start is reported with what it printed, and nothing is left of the others",
  { skip },
  async () => {
    const wrong = startControlPlane({ apiServerArguments: ["--no-such-flag"] });
    await assert.rejects(wrong, /kube-apiserver has ended \(1\)[^]*unknown flag: --no-such-flag/);
    const owned = globSync(`/var/tmp/store-enterprise-kubernetes-${process.getuid?.()}/*/owner`);
    const ours = owned.filter((file) => readFileSync(file, "utf8").startsWith(`${process.pid} `));
    assert.deepEqual(ours, []);
  },
);

test("stopping ends every program and removes the folder", { skip }, async () => {
  const real = await startControlPlane();
  const pids = pidsOf(real.folder);
  assert.ok(pids.length >= 2, `only ${pids.length} programs`);
  await real.stop();
  assert.deepEqual(
    pids.map(startTimeOf),
    pids.map(() => undefined),
  );
  assert.equal(existsSync(real.folder), false);
});

test(
  "the programs end with a process that was killed, and the next control plane clears its folder away",
  { skip },
  async () => {
    const owner = await startElsewhere("control-plane/control-plane.ts", "(await kit.startControlPlane()).folder");
    const pids = pidsOf(owner.folder);
    assert.ok(pids.length >= 2, `only ${pids.length} programs`);
    owner.kill();
    await until("the programs have ended", () => pids.every((pid) => startTimeOf(pid) === undefined));
    assert.equal(existsSync(owner.folder), true);
    await using _next = await startControlPlane({ controllers: false });
    assert.equal(existsSync(owner.folder), false);
  },
);

async function refusal(kubeconfig: string): Promise<string> {
  const client = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  try {
    await client.list(ConfigMaps, { namespace: "default" });
    return "";
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  } finally {
    await client.close();
  }
}
