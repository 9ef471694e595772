import assert from "node:assert/strict";
import { test } from "node:test";
import { ROTATE_AUTHORITY_ANNOTATION } from "../../src/core/api/names.ts";
import { steps } from "../kit/scenario/step.ts";
import { until } from "#kit/testing/until";
import type { Site } from "../kit/world/sites.ts";
import { failWith, isUp, PATIENCE, primaryOf, reachable } from "./active-active-scene.ts";
import { holdTheSame, nothingFailed, startWrittenSites, type WrittenSites } from "./active-active-written.ts";

// The authority of one of two linked clusters is replaced while clients write at both.

test("the authority of a site is replaced under load: the other one is waited for, and links go on", async () => {
  await using scene = await startWrittenSites("8.2");
  await steps<WrittenSites>(scene, {
    "another authority is offered, and the finding names the site that does not trust it": offer,
    "after the overlap that site is waited for": holdBack,
    "when its Secret has both, the new one signs and the former one ends": use,
    "links that are made anew show and accept what the new one has signed": linkAnew,
    "both sites hold the same, and each counter has every increment": holdTheSame,
  });
});

async function offer({ both: [east] }: WrittenSites): Promise<void> {
  await east.kubectl(`annotate rec east ${ROTATE_AUTHORITY_ANNOTATION}=2026-11`);
  await finds(east, "NextAuthorityOffered", /; the remote cluster west does not trust it yet$/);
}

async function holdBack({ both: [east] }: WrittenSites): Promise<void> {
  await east.kubectl(`patch rec east --type merge -p '{"spec":{"authorityOverlapSeconds":1}}'`);
  await finds(east, "RotationWaits", /^the next authority is not in use yet: the remote cluster west does not trust/);
}

async function use(scene: WrittenSites): Promise<void> {
  const [east, west] = scene.both;
  await give(east, west);
  const said = () => east.kubectl("get events --field-selector involvedObject.name=east");
  for (const reason of ["AuthorityRotated", "FormerAuthorityEnded"])
    await until(reason, async () => (await said()).includes(reason), PATIENCE).catch(failWith(east));
  await nothingFailed(scene);
}

async function linkAnew(scene: WrittenSites): Promise<void> {
  const { both } = scene;
  const [east, west] = both;
  await give(east, west);
  // clients that do not connect again lose the connections that they have there
  for (const site of both) {
    await site.kubectl("wait redb/carts --for=jsonpath='{.status.status}'=active --timeout=60s");
    const node = await primaryOf(site);
    await site.kubectl(`delete pod ${site.name}-${node - 1} --wait=true`);
    await until("another node has the primary", async () => (await primaryOf(site)) !== node, PATIENCE);
  }
  for (const site of both) await isUp(site);
  assert.equal(await reachable(west, "east"), "Active");
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
