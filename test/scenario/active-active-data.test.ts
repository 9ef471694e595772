import assert from "node:assert/strict";
import { test } from "node:test";
import { parseExposition, valueOf } from "../kit/metrics/parse-exposition.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import type { Site } from "../kit/world/sites.ts";
import { isUp, management, PATIENCE, primaryOf, serves } from "./active-active-scene.ts";
import { holdTheSame, nothingFailed, startWrittenSites, type WrittenSites } from "./active-active-written.ts";

// Two clusters that write one database at once, each with clients of its own, while everything under them changes.

test("what clients of two sites write at once is at both, whatever moves meanwhile", async () => {
  await using scene = await startWrittenSites("7.2");
  await steps<WrittenSites>(scene, {
    "the node with the primary shows Prometheus how the writes of the other site arrive": showLinks,
    "a version set on one site upgrades both, and no request fails": upgradeDatabases,
    "a node with a primary is drained, and no request fails": drainPrimary,
    "a primary that is killed is succeeded, and what it has acknowledged stays": killPrimary,
    "both sites hold the same, and each counter has every increment": holdTheSame,
    "a dead site is taken out by force alone, and what is left replicates": removeDead,
  });
});

async function showLinks({ both }: WrittenSites): Promise<void> {
  for (const [site, other] of [both, both.toReversed()] as [Site, Site][]) {
    const labels = { database: "carts", site: other.name };
    // the shell cuts off the end of the last line
    const scrape = async () => parseExposition(`${await management(site, "/metrics", "", await primaryOf(site))}\n`);
    const arrives = async (): Promise<boolean> =>
      valueOf(await scrape(), "store_link_received_bytes_total", labels) > 0 &&
      valueOf(await scrape(), "store_link_lag_seconds", labels) > 0;
    await until("writes of the other site have arrived", arrives, PATIENCE);
    assert.equal(valueOf(await scrape(), "store_link_up", labels), 1);
    const health = await site.type(storectl(site, "health"));
    assert.match(health, new RegExp(`^carts: up\\n[^]*\\n${other.name} +\\d +up +20\\S+Z `));
  }
}

async function upgradeDatabases(scene: WrittenSites): Promise<void> {
  const { both } = scene;
  await both[1].type(storectl(both[1], "update", "storeVersion=8.0"));
  for (const site of both) await serves(site, "carts", "8.0");
  for (const site of both) {
    let tasks = "";
    const areFinished = async (): Promise<boolean> => {
      tasks = await site.type(storectl(site, "tasks"));
      return /\.edit\.1\.east +create_crdb +finished +-\n\S+\.version\.8\.0 +upgrade_crdb +finished +-$/.test(tasks);
    };
    await until(`both tasks are finished at ${site.name}`, areFinished, PATIENCE);
    const [, id = ""] = /\n(\S+\.version\.8\.0) /.exec(tasks) ?? [];
    const task = JSON.parse(await management(site, `/v1/crdb_tasks/${id}`));
    assert.deepEqual([task.id, task.status], [id, "finished"]);
  }
  await nothingFailed(scene);
}

async function drainPrimary(scene: WrittenSites): Promise<void> {
  const [east] = scene.both;
  const node = await primaryOf(east);
  await east.kubectl(`delete pod east-${node - 1} --wait=true`);
  await until("another node has the primary", async () => (await primaryOf(east)) !== node, PATIENCE);
  await nothingFailed(scene);
}

async function killPrimary({ both: [, west] }: WrittenSites): Promise<void> {
  await west.kubectl("wait redb/carts --for=jsonpath='{.status.status}'=active --timeout=60s");
  const node = await primaryOf(west);
  await west.kubectl(`delete pod west-${node - 1} --grace-period=0 --force`);
  await until("another node has the primary", async () => (await primaryOf(west)) !== node, PATIENCE);
}

async function removeDead({ both: [east, west] }: WrittenSites): Promise<void> {
  await west.kubectl("delete deployment store-enterprise-operator");
  await west.kubectl("scale statefulset west --replicas=0");
  const health = async () => east.type.run(storectl(east, "health"));
  const isDown = async (): Promise<boolean> => {
    const { code, stdout } = await health();
    return code === 3 && /^carts: down\n[^]*\nwest +2 +down +20\S+Z /.test(stdout);
  };
  await until("health shows that the site is down, and ends with 3", isDown, PATIENCE);
  const refused = await east.type.run(storectl(east, "remove-site", "west"));
  assert.match(refused.stderr, /CLI_REFUSED: .*"west" is down since .*it may hold writes .*--force/);
  await east.type(storectl(east, "remove-site", "west", "--force"));
  // the link begins anew with what is left
  const isAlone = async (): Promise<boolean> => (await health()).stdout.trimEnd() === "carts: up\n\nno other site";
  await until("health is up and knows no other site", isAlone, PATIENCE);
  await isUp(east);
  const list = await east.type("node src/bin/storectl.ts active-active list -n east");
  assert.match(list, /^DATABASE .*\ncarts +8\.0 +east +up +[-\w]+$/);
}

/** A command line of storectl about the database of a site. */
function storectl(site: Site, command: string, ...words: readonly string[]): string {
  return ["node src/bin/storectl.ts active-active", command, "-n", site.name, "carts", ...words].join(" ");
}
