import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Clusters } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { release } from "../kit/facts/cluster-view.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { startStorectlWorld } from "../kit/world/storectl-world.ts";
import { STORECTL } from "../kit/programs.ts";

const [kubectl] = foundKubectls();

await using world = await startStorectlWorld(release("8.0.6-8"));

await test("nodes lists each with its pod, role and version, and ends with 0 when all serve", async () => {
  const { code, stdout } = await world.storectl("nodes");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^NODE +POD +ADDRESS +STATUS/);
  for (const uid of [1, 2, 3])
    assert.match(stdout, new RegExp(`^${uid} +rec-${uid - 1} +127\\..* active .*8\\.0\\.6-54`, "m"));
  assert.equal(stdout.match(/ leader /g)?.length, 1);
  const records = JSON.parse((await world.storectl("nodes", "-o", "json")).stdout);
  assert.deepEqual(
    records.map(({ uid }: { uid: number }) => uid),
    [1, 2, 3],
  );
});

await test("databases lists those without an object too, and one by its name", async () => {
  const { code, stdout } = await world.storectl("databases");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^orders +\d+ +7\.2.* active .* node \d +node \d +-/m);
  const yaml = await world.storectl("databases", "orders", "-o", "yaml");
  assert.match(yaml.stdout, /^- uid: \d+\n {2}name: orders$/m);
});

await test("modules upload checks the archive, installs it on every node and list shows it; delete removes it", async () => {
  const file = join(world.dir, "tally.zip");
  await writeFile(file, await tallyArchive({ compatible: "7.2" }));
  const uploaded = await world.storectl("modules", "upload", file);
  assert.equal(uploaded.code, 0, uploaded.stderr);
  assert.match(
    uploaded.stdout,
    /^Uploading Tally 1\.0\.0 for databases of 7\.2 to rec\nEvery node has it: [0-9a-f]{32}\n$/,
  );
  assert.match(
    (await world.storectl("modules", "list")).stdout,
    /^tally +1\.0\.0 +7\.2 +rhel9\/\S+ +- +[0-9a-f]{32}$/m,
  );
  const gone = await world.storectl("modules", "delete", "tally");
  assert.equal(gone.stdout, "Removed tally 1.0.0 from rec\n", gone.stderr);
  assert.doesNotMatch((await world.storectl("modules", "list")).stdout, /tally/);
});

await test("a malformed archive never reaches the cluster, one of a bundled module is refused, and a build is named exactly", async () => {
  const file = join(world.dir, "no.zip");
  await writeFile(file, "not a zip");
  const refused = await world.storectl("modules", "upload", file);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^MODULES_NOT_AN_ARCHIVE: /);
  const bundled = join(world.dir, "vectors.zip");
  await writeFile(bundled, await tallyArchive({ compatible: "8.2", manifest: { module_name: "vectorset" } }));
  const brought = await world.storectl("modules", "upload", bundled);
  assert.equal(brought.code, 1);
  assert.match(
    brought.stderr,
    /^CLI_MODULE_BUNDLED: module "vectorset" comes with the engine of database version 8\.2 on every node: vectorset 0\.0\.1/,
  );
  const unknown = await world.storectl("modules", "delete", "tally");
  assert.match(unknown.stderr, /^CLI_NO_MODULE: no module "tally" is installed; there are: none\n {2}remedy: /);
});

await test(
  "kubectl finds it as a plugin: the same commands, options and exit codes",
  { skip: kubectl === undefined },
  async () => {
    const plugins = join(world.dir, "plugins");
    await mkdir(plugins);
    await symlink(STORECTL, join(plugins, "kubectl-store"));
    const env = {
      ...process.env,
      KUBECONFIG: join(world.dir, "kubeconfig"),
      PATH: `${plugins}:${process.env["PATH"]}`,
    };
    const run = (...args: string[]) => spawnSync(kubectl?.path ?? "", args, { env, encoding: "utf8" });
    assert.match(run("plugin", "list").stdout, /kubectl-store/);
    const nodes = run("store", "nodes", "-n", "default");
    assert.equal(nodes.status, 0, nodes.stderr);
    assert.match(nodes.stdout, /^1 +rec-0 /m);
    assert.match(run("store", "--help").stdout, /^Usage: kubectl store \[options\] \[command\]/);
    const mistyped = run("store", "stauts");
    assert.match(
      mistyped.stderr,
      /unknown command 'stauts' \(did you mean status\?\); there are: kubectl store preflight,/,
    );
    assert.equal(mistyped.status, 2);
    assert.equal(run("store", "nodes", "nope").status, 1);
  },
);

await test("a cluster whose secrets are missing is reported as unreachable, with the reason", async () => {
  const metadata = { name: "second", namespace: "default" };
  await world.kube.create(Clusters, { metadata, spec: { clusterCredentialSecretName: "nowhere", nodes: 4 } });
  const { code, stderr } = await world.storectl("nodes", "second");
  assert.equal(code, 1);
  assert.match(stderr, /^CLI_CLUSTER_SILENT: cluster second cannot be asked: no node pod is there yet/);
  assert.match((await world.storectl("nodes")).stderr, /^CLI_WHICH_CLUSTER: .*rec, second/);
  await world.kube.delete(Clusters, metadata);
});
