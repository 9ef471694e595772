import assert from "node:assert/strict";
import { until } from "#kit/testing/until";
import type { Site } from "../kit/world/sites.ts";
import { isUp, PATIENCE, says, serves } from "./active-active-scene.ts";

/** Sites in the order in which they are upgraded. */
type InOrder = readonly [first: Site, second: Site, ...others: Site[]];

/** Sets the version on the last of the sites: of all that have begun at some time, all but one have ended a moment later. */
export async function oneAfterTheOther(sites: InOrder, version: string): Promise<void> {
  for (const site of sites) await isUp(site);
  const those = async (path: string): Promise<readonly string[]> => {
    const each = await Promise.all(sites.map((site) => site.kubectl(`get redb carts -o jsonpath='{${path}}'`)));
    return sites.filter((_, index) => each[index]?.startsWith(version)).map(({ name }) => name);
  };
  const begun: string[] = [];
  await setVersion(sites.at(-1) ?? sites[1], version);
  const ended = async (): Promise<boolean> => {
    const asked = await those(".spec.storeVersion");
    const served = await those(".status.version");
    begun.push(...asked.filter((name) => !begun.includes(name)));
    const upgrading = asked.filter((name) => !served.includes(name));
    assert.ok(upgrading.length <= 1, `these upgrade at once: ${upgrading.join(", ")}`);
    return served.length === sites.length;
  };
  await until("each site has the version", ended, PATIENCE);
  assert.deepEqual(
    begun,
    sites.map(({ name }) => name),
  );
}

/** The first site does not get on, those behind it say so, and a user lets the second one go past it. */
export async function goPastFirst(sites: InOrder, before: string, version: string): Promise<void> {
  const [first, second, ...others] = sites;
  for (const site of sites) await isUp(site);
  await first.kubectl("scale deployment store-enterprise-operator --replicas=0");
  await setVersion(second, version);
  const waits = new RegExp(`^OtherSiteFirst the upgrade to ${version} waits: "${first.name}" serves ${before}, and `);
  for (const site of [second, ...others]) await says(site, "carts", waits);
  const tasks = `node src/bin/storectl.ts active-active tasks -n ${second.name} carts`;
  const queued = new RegExp(`\\.version\\.${version} +upgrade_crdb +queued +.*kubectl describe reaadb carts`);
  await until("its task is queued", async () => queued.test((await second.type.run(tasks)).stdout), PATIENCE);
  const path = `{.status.conditions[?(@.type=="Ready")].message}`;
  const message = await second.kubectl(`get reaadb carts -o jsonpath='${path}'`);
  const [, command = ""] = /kubectl (annotate reaadb carts .*)$/.exec(message) ?? [];
  await second.kubectl(command);
  await serves(second, "carts", version);
  for (const site of others) await says(site, "carts", waits);
  await first.kubectl("scale deployment store-enterprise-operator --replicas=1");
  for (const site of [first, ...others]) await serves(site, "carts", version);
}

async function setVersion(site: Site, version: string): Promise<void> {
  await site.kubectl(`patch reaadb carts --type merge -p '{"spec":{"storeVersion":"${version}"}}'`);
}
