import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { DatabaseStatus } from "../../src/core/api/database-status.ts";
import type { Finding } from "../../src/core/api/parts.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { Databases } from "../../src/mechanisms/observe/kubernetes/kinds.ts";
import { ConfigMaps } from "#kit/kube/builtin";
import { until } from "#kit/testing/until";
import { steps } from "../kit/scenario/step.ts";
import { askDatabase } from "../kit/world/ask.ts";
import { startShell } from "../kit/world/shell.ts";
import { PATIENCE, startStorectlWorld } from "../kit/world/storectl-world.ts";

// The record of a database is deleted by hand while operator and nodes run: what a person sees, and types.

const LEDGER = { name: "ledger", namespace: "default" };

await using world = await startStorectlWorld(latestRelease());
const env = { ...process.env, KUBECONFIG: join(world.dir, "kubeconfig") };
await using type = startShell(process.cwd(), env);

await test("the record of a database vanishes, and what the product prints brings it back with its data", () =>
  steps(world, {
    "a database keeps its data on disk": fill,
    "its object says that the record is missing": loseRecord,
    "storectl why says the same, with the line of the finding": askWhy,
    "the line of the finding, typed, brings database and data back": typeRemedy,
    "storectl recover does the same when it vanishes again": recover,
  }));

async function fill(): Promise<void> {
  const spec = { storeVersion: "7.2", persistence: "aofAlways", replication: true } as const;
  await world.kube.create(Databases, { metadata: LEDGER, spec });
  await until("ledger", async () => (await status()).status === "active", PATIENCE);
  await until("it serves", async () => (await ask("SET", "kept", "yes").catch(String)) === "OK", PATIENCE);
}

async function loseRecord(): Promise<void> {
  const uid = (await status()).databaseUID ?? "";
  await world.kube.delete(ConfigMaps, { name: `rec-db-${uid}`, namespace: "default" });
  await until("most nodes say that they keep it", async () => /restore_record$/.test((await missing())?.remedy ?? ""), {
    ...PATIENCE,
  });
  const found = await missing();
  assert.equal(found?.severity, "block");
  assert.match(
    found.evidence,
    /^the record of "ledger" \(database \d+\), ConfigMap rec-db-\d+, has been missing since /,
  );
}

async function askWhy(): Promise<void> {
  const { remedy = "none" } = (await missing()) ?? {};
  const { code, stdout } = await world.storectl("why");
  assert.equal(code, 3, stdout);
  assert.match(stdout, /^redb\/ledger: RecordMissing, since /m);
  assert.ok(stdout.includes(`do: ${remedy}\n`), stdout);
}

async function typeRemedy(): Promise<void> {
  await type((await missing())?.remedy ?? "false");
  await isBack();
}

async function recover(): Promise<void> {
  await loseRecord();
  const { code, stdout } = await world.storectl("recover", "--yes");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /rec\/rec: RecordMissing\n( {3}.*\n)+ {3}cleared\n/);
  await isBack();
}

/** The database serves what it held, and nothing is found any more. */
async function isBack(): Promise<void> {
  await until("ledger", async () => (await status()).status === "active", PATIENCE);
  await until("its data", async () => (await ask("GET", "kept").catch(String)) === "yes", PATIENCE);
  await until("nothing is found", async () => (await status()).findings?.length === 0, PATIENCE);
  await until("nothing is wrong", async () => (await world.storectl("why")).code === 0, PATIENCE);
}

async function status(): Promise<DatabaseStatus> {
  return (await world.kube.get(Databases, LEDGER))?.status ?? {};
}

async function missing(): Promise<Finding | undefined> {
  return (await status()).findings?.find(({ id }) => id === "RecordMissing");
}

function ask(...command: readonly [string, ...string[]]) {
  return askDatabase(world.kube, LEDGER, ...command);
}
