import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BdbRecord } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";
import { noPackagedModule, searchArchive } from "../kit/modules/packaged-module.ts";
import { steps } from "../kit/scenario/step.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { osRelease } from "../kit/world/base-systems.ts";
import { startTestCluster, type TestCluster } from "../kit/world/cluster.ts";

await test(
  "a database may use the modules that the engines of the nodes bring, and no other",
  { skip: noPackagedModule() },
  async () => {
    await using cluster = await startTestCluster();
    await steps(cluster, {
      "nodes report what their engines bring, and the cluster lists it for each database version": listWhatNodesBring,
      "a build of what comes with the engine of its database version is refused": refuseBuilds,
      "a module that no node brings is refused, with those that are there": refusePhantoms,
      "a database loads the module of the package beside its engine, with a replica": useThePackage,
      "a database uses the module that is built into its engine": useWhatIsBuiltIn,
      "a database does not move to a version whose engine lacks its module": refuseToLoseTheModule,
      "a node reports the base system of its image": reportAnotherBase,
    });
  },
);

async function listWhatNodesBring({ client }: TestCluster): Promise<void> {
  for (const node of await client.call("nodes")) {
    const brought = node.supported_database_versions.map(({ redis_version, modules = [] }) => [
      redis_version,
      modules.map(({ module_name }) => module_name).join(),
    ]);
    assert.deepEqual(Object.fromEntries(brought)["7.2"], "ft");
    assert.deepEqual(Object.fromEntries(brought)["8.2"], "vectorset");
  }
  const modules = await client.call("modules");
  assert.deepEqual(
    modules.map((one) => [
      one.module_name,
      one.semantic_version,
      one.is_bundled,
      one.database_versions?.includes("7.2"),
    ]),
    [
      ["ft", "1.2.0", true, true],
      ["vectorset", "0.0.1", true, false],
    ],
  );
  for (const { platforms } of modules) assert.match(Object.keys(platforms).join(), /^rhel9\/\w+$/);
}

async function refuseBuilds({ client }: TestCluster): Promise<void> {
  const before = await client.call("modules");
  await assert.rejects(
    client.call("uploadModule", { body: { module: new Blob([searchArchive("7.2")]) } }),
    /module "ft" comes with the engine of database version 7\.2 on every node: ft 1\.2\.0.*\(406 module_bundled/,
  );
  const vectors = await tallyArchive({ compatible: "8.2", manifest: { module_name: "VectorSet" } });
  await assert.rejects(
    client.call("uploadModule", { body: { module: new Blob([vectors]) } }),
    /module "VectorSet" comes with the engine of database version 8\.2 on every node: vectorset 0\.0\.1/,
  );
  assert.deepEqual(await client.call("modules"), before);
}

async function refusePhantoms({ client }: TestCluster): Promise<void> {
  for (const name of ["search", "ReJSON", "timeseries", "bf"]) {
    const body = {
      name: "phantom",
      memory_size: 20_000_000,
      redis_version: "7.2",
      module_list: [{ module_name: name }],
    };
    await assert.rejects(
      client.call("createBdb", { body: { ...body, redis_version: "7.2" } }),
      new RegExp(
        `no build of module "${name}".*with the engines: ft 1\\.2\\.0 for .*7\\.2.*vectorset 0\\.0\\.1 for .*8\\.2`,
      ),
    );
  }
  assert.deepEqual(await client.call("bdbs"), []);
}

async function useThePackage({ create, client }: TestCluster): Promise<void> {
  const { uid } = await create({
    name: "texts",
    memory_size: 20_000_000,
    redis_version: "7.2",
    replication: true,
    module_list: [{ module_name: "ft" }],
  });
  const bdb = await client.call("bdb", { params: { uid } });
  assert.deepEqual(bdb.module_list, [{ module_name: "ft", semantic_version: "1.2.0", module_args: "" }]);
  assert.equal(await ask(bdb, "FT.CREATE", "idx", "SCHEMA", "text", "TEXT"), "OK");
}

async function useWhatIsBuiltIn({ create, client }: TestCluster): Promise<void> {
  const { uid } = await create({
    name: "vectors",
    memory_size: 20_000_000,
    redis_version: "8.2",
    module_list: [{ module_name: "vectorset" }],
  });
  const bdb = await client.call("bdb", { params: { uid } });
  assert.equal(await ask(bdb, "VADD", "points", "VALUES", "2", "1.0", "0.0", "east"), 1);
}

async function refuseToLoseTheModule({ client }: TestCluster): Promise<void> {
  const texts = (await client.call("bdbs")).find(({ name }) => name === "texts");
  await assert.rejects(
    client.call("upgradeBdb", { params: { uid: texts?.uid ?? 0 }, body: { store_version: "8.0" } }),
    /no build of module "ft" for database version 8\.0.*with the engines: ft 1\.2\.0 for/,
  );
}

async function reportAnotherBase({ client, root, stop, start }: TestCluster): Promise<void> {
  await stop(3);
  writeFileSync(join(root(3), "etc/os-release"), osRelease("ubuntu18"));
  await start(3);
  const systems = (await client.call("nodes")).map(({ base_system }) => base_system);
  assert.deepEqual(systems, ["rhel9", "rhel9", "ubuntu18"]);
}

/** By the database's endpoint on one of the nodes. */
function ask({ endpoints, port }: BdbRecord, ...command: readonly string[]): Promise<Reply> {
  return callEngine({ host: endpoints[0]?.addr[0] ?? "", port, password: "", timeoutMs: 5_000 }, ...command);
}
