import assert from "node:assert/strict";
import { test } from "node:test";
import type { BdbCreate, BdbRecord, ModuleRecord } from "../../src/ports/management/records.ts";
import { callEngine } from "../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../src/ports/resp/reply.ts";
import { startTestCluster } from "../kit/world/cluster.ts";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";

await using cluster = await startTestCluster({ nodes: 3 });

await test("the life of a module: uploaded, used, upgraded with its database, removed", () =>
  steps(cluster, {
    "a database with a module that is not installed is refused with the list of those that are": refuseMissing,
    "an uploaded module is on every node, listed with its platforms, and once however often it is uploaded":
      uploadTwice,
    "the same content for another base system is the same build": uploadForAnotherBase,
    "another content under the same name and version is refused": refuseOtherContent,
    "a database loads the build for its version on each of its nodes, its replica has the data, and another list is refused":
      useModule,
    "a database moves to a version that its module has a build for, with its data": upgradeWithModule,
    "a module in use is not removed, one that no database uses is": removeModule,
  }));

const refused = [
  ["that is no archive", async () => Buffer.from("hello"), /no zip archive/],
  [
    "for other machines",
    () => tallyArchive({ compatible: "7.2", manifest: { architecture: "s390x" } }),
    /build is for s390x/,
  ],
  [
    "for later clusters",
    () => tallyArchive({ compatible: "7.2", manifest: { min_redis_pack_version: "99.0" } }),
    /99\.0 or later/,
  ],
  [
    "without a version",
    () => tallyArchive({ compatible: "7.2", manifest: { semantic_version: "" } }),
    /semantic_version/,
  ],
] as const;
for (const [what, make, says] of refused) {
  await test(`a module ${what} is refused`, async () => {
    await assert.rejects(upload(Buffer.from(await make())), says);
  });
}

async function upload(archive: Buffer<ArrayBuffer>): Promise<void> {
  const { action_uid: uid } = await cluster.client.call("uploadModule", { body: { module: new Blob([archive]) } });
  await until(
    "every node has the module",
    async () => (await cluster.client.call("action", { params: { uid } })).status === "completed",
    { withinMs: 20_000, everyMs: 50 },
  );
}

/** By the database's endpoint on one of the nodes. */
function add({ endpoints, port }: BdbRecord, number: string): Promise<Reply> {
  return callEngine(
    { host: endpoints[0]?.addr[0] ?? "", port, password: "", timeoutMs: 5_000 },
    "TALLY.ADD",
    "visits",
    number,
  );
}

async function installed(): Promise<readonly ModuleRecord[]> {
  return (await cluster.client.call("modules")).filter(({ is_bundled }) => !is_bundled);
}

async function refuseMissing(): Promise<void> {
  const asked = {
    name: "counts",
    memory_size: 20_000_000,
    redis_version: "7.2",
    module_list: [{ module_name: "tally" }],
  } as const;
  await assert.rejects(
    cluster.client.call("createBdb", { body: asked }),
    /no build of module "tally".*7\.2.*installed: none/,
  );
}

async function uploadTwice(): Promise<void> {
  const archive = await tallyArchive({ compatible: "7.2", systems: ["rhel8", "rhel9"] });
  await upload(archive);
  await upload(archive);
  const found = await installed();
  assert.deepEqual(
    found.map(({ module_name, semantic_version, platforms }) => [
      module_name,
      semantic_version,
      Object.keys(platforms),
    ]),
    [["tally", "1.0.0", ["rhel8/x86_64", "rhel9/x86_64"]]],
  );
}

async function uploadForAnotherBase(): Promise<void> {
  const about = { compatible: "7.4", mark: "one file" };
  await upload(await tallyArchive({ ...about, systems: ["rhel8"] }));
  await upload(await tallyArchive({ ...about, systems: ["debian12"] }));
  const found = (await installed()).filter(({ compatible_redis_version }) => compatible_redis_version === "7.4");
  assert.deepEqual(
    found.map(({ platforms }) => Object.keys(platforms)),
    [["rhel8/x86_64", "debian12/x86_64"]],
  );
}

async function refuseOtherContent(): Promise<void> {
  const archive = await tallyArchive({ compatible: "7.2", systems: ["rhel9"] });
  await assert.rejects(upload(archive), /installed with another content/);
}

async function useModule(): Promise<void> {
  const { uid } = await cluster.create({
    name: "counts",
    memory_size: 20_000_000,
    replication: true,
    redis_version: "7.2",
    module_list: [{ module_name: "tally" }],
  });
  const bdb = await cluster.client.call("bdb", { params: { uid } });
  assert.deepEqual(
    bdb.module_list.filter(({ module_name }) => module_name === "tally"),
    [{ module_name: "tally", semantic_version: "1.0.0", module_args: "" }],
  );
  assert.equal(await add(bdb, "40"), 40);
  const change = (module_list: BdbCreate["module_list"] & object) =>
    cluster.client.call("updateBdb", { params: { uid }, body: { module_list } });
  assert.equal((await change([{ module_name: "tally" }])).status, "active", "that is what it has");
  await assert.rejects(change([]), /the modules of "counts" are tally and cannot be changed/);
}

async function upgradeWithModule(): Promise<void> {
  const [bdb] = await cluster.client.call("bdbs");
  const upgrade = () =>
    cluster.client.call("upgradeBdb", { params: { uid: bdb?.uid ?? 0 }, body: { store_version: "8.0" } });
  await assert.rejects(upgrade(), /no build of module "tally" for database version 8\.0/);
  await upload(await tallyArchive({ version: "2.0.0", compatible: "8.0" }));
  await upgrade();
  await until(
    "it is at 8.0",
    async () => {
      const [now] = await cluster.client.call("bdbs");
      return now?.status === "active" && now.redis_version === "8.0";
    },
    { withinMs: 60_000, everyMs: 100 },
  );
  const [now] = await cluster.client.call("bdbs");
  assert.equal(now?.module_list.find(({ module_name }) => module_name === "tally")?.semantic_version, "2.0.0");
  assert.equal(await add(now, "2"), 42);
}

async function removeModule(): Promise<void> {
  const [record] = await installed();
  const remove = () => cluster.client.call("deleteModule", { params: { uid: record?.uid ?? "" } });
  await assert.rejects(remove(), /used by "counts"/);
  const [bdb] = await cluster.client.call("bdbs");
  await cluster.client.call("deleteBdb", { params: { uid: bdb?.uid ?? 0 } });
  await until("the database is gone", async () => (await cluster.client.call("bdbs")).length === 0, { everyMs: 50 });
  await remove();
  assert.deepEqual(
    (await installed()).map((left) => [left.compatible_redis_version, left.semantic_version]),
    [
      ["7.4", "1.0.0"],
      ["8.0", "2.0.0"],
    ],
  );
}
