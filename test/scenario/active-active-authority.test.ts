import assert from "node:assert/strict";
import { test } from "node:test";
import { ROTATE_AUTHORITY_ANNOTATION } from "../../src/core/api/names.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { writeAtSite, type SiteWriter } from "../kit/links/site-writer.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "../kit/time/until.ts";
import { startSites, type Site } from "../kit/world/sites.ts";
import { database, endpointOf, failWith, isUp, PATIENCE, primaryOf, reachable, serves } from "./active-active-scene.ts";
import { holdTheSame, nothingFailed } from "./active-active-written.ts";

// The authority of one of two linked clusters is replaced while clients write at both.

interface Scene {
  readonly both: readonly [Site, Site];
  readonly writers: readonly SiteWriter[];
}

test("the authority of a site is replaced under load: the other one is waited for, and links go on", async () => {
  await using sites = await startSites();
  const [east, west] = await sites.open(["east", "west"], latestRelease());
  assert.ok(east !== undefined && west !== undefined);
  await sites.introduce([east, west]);
  await east.apply(
    database("carts", {
      participatingClusters: [{ name: "east" }, { name: "west" }],
      globalConfigurations: { replication: true },
    }),
  );
  for (const site of [east, west]) await serves(site, "carts", "8.2");
  for (const site of [east, west]) await isUp(site);
  await using first = await writeAtSite("east", await endpointOf(east));
  await using second = await writeAtSite("west", await endpointOf(west));
  await steps<Scene>(
    { both: [east, west], writers: [first, second] },
    {
      "another authority is offered, and the finding names the site that does not trust it": offer,
      "after the overlap that site is waited for": holdBack,
      "when its Secret has both, the new one signs and the former one ends": use,
      "links that are made anew show and accept what the new one has signed": linkAnew,
      "no request failed, and both sites hold the same": ({ both, writers }) => holdTheSame(both, writers),
    },
  );
});

async function offer({ both: [east] }: Scene): Promise<void> {
  await east.kubectl(`annotate rec east ${ROTATE_AUTHORITY_ANNOTATION}=2026-11`);
  await finds(east, "NextAuthorityOffered", /; the remote cluster west does not trust it yet$/);
}

async function holdBack({ both: [east] }: Scene): Promise<void> {
  await east.kubectl(`patch rec east --type merge -p '{"spec":{"authorityOverlapSeconds":1}}'`);
  await finds(east, "RotationWaits", /^the next authority is not in use yet: the remote cluster west does not trust/);
}

async function use({ both: [east, west], writers }: Scene): Promise<void> {
  await give(east, west);
  const said = () => east.kubectl("get events --field-selector involvedObject.name=east");
  for (const reason of ["AuthorityRotated", "FormerAuthorityEnded"])
    await until(reason, async () => (await said()).includes(reason), PATIENCE).catch(failWith(east));
  await nothingFailed(writers);
}

async function linkAnew({ both, writers }: Scene): Promise<void> {
  const [east, west] = both;
  await give(east, west);
  for (const site of both) {
    const node = await primaryOf(site);
    await site.kubectl(`delete pod ${site.name}-${node - 1} --wait=true`);
    await until("another node has the primary", async () => (await primaryOf(site)) !== node, PATIENCE);
  }
  for (const site of both) await isUp(site);
  assert.equal(await reachable(west, "east"), "Active");
  await nothingFailed(writers);
}

/** Gives `to` what the cluster of `from` trusts now, as its page says. */
async function give(from: Site, to: Site): Promise<void> {
  const trusted = await from.kubectl(`get secret ${from.name}-node-tls -o jsonpath='{.data.ca\\.crt}'`);
  await to.kubectl(`patch secret store-enterprise-${from.name} --type merge -p '{"data":{"ca.crt":"${trusted}"}}'`);
}

async function finds(site: Site, id: string, claim: RegExp): Promise<void> {
  const evidence = `get rec ${site.name} -o jsonpath='{.status.findings[?(@.id=="${id}")].evidence}'`;
  let seen = "";
  await until(`${id} ${String(claim)}`, async () => claim.test((seen = await site.kubectl(evidence))), PATIENCE).catch(
    (error: unknown) => failWith(site)(`${String(error)}; it says: ${seen}`),
  );
}
