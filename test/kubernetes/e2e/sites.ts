import assert from "node:assert/strict";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import { chooseEngine } from "../../../src/core/releases/engines/engines.ts";
import { discoverEngines } from "../../../src/mechanisms/supervisor/engines.ts";
import { newestVersion } from "../../../src/programs/demo/scenario.ts";
import type { SiteNetwork } from "../../../src/programs/demo/sites/network.ts";
import { SITES, type DemoSite } from "../../../src/programs/demo/sites/objects.ts";
import { sitesReceipt, sitesReceiptLines } from "../../../src/programs/demo/sites/receipt.ts";
import { runSites } from "../../../src/programs/demo/sites/scenario.ts";
import type { Scene } from "./scene.ts";
import { startSiteLoad } from "./site-load.ts";

const CUT_MS = 8_000;

/** Two clusters in two namespaces hold one database: written at once from pods, cut off from each other, healed, and upgraded. */
export async function twoSites(scene: Scene): Promise<void> {
  const { stage, latest } = scene;
  const began = performance.now();
  const found = await discoverEngines(process.env);
  const outcome = await runSites(stage, {
    release: latest,
    fromVersion: "7.2",
    toVersion: newestVersion((version) => chooseEngine(version, found)?.standIn === false),
    openNetwork: (targets) => networkOfWorkers(scene, targets),
    startLoad: (site, endpoint) => startSiteLoad(scene, site, endpoint),
    cutMs: CUT_MS,
  });
  const receipt = sitesReceipt(outcome, (performance.now() - began) / 1_000);
  for (const line of sitesReceiptLines(receipt)) scene.say(line);
  assert.equal(receipt.verdict, "passed", sitesReceiptLines(receipt).join("\n"));
  await removeSites(scene);
}

/** The sites reach each other's Services as they are. While it is cut, no worker lets a packet to one of them through. */
async function networkOfWorkers({ cluster }: Scene, hosts: Readonly<Record<DemoSite, string>>): Promise<SiteNetwork> {
  let isCut = false;
  const onEach = async (rules: string): Promise<void> => {
    for (const node of cluster.nodes) {
      const { code, stderr } = await node.exec(["nft", "-f", "-"], { stdin: rules });
      assert.equal(code, 0, `${rules} on ${node.name}: ${stderr}`);
    }
  };
  const cut = async (): Promise<void> => {
    isCut = true;
    // before the address of a Service becomes that of a pod
    const drop = `type filter hook prerouting priority -150;\n    ip daddr { ${Object.values(hosts).join(", ")} } drop`;
    await onEach(`table ip sites {\n  chain cut {\n    ${drop}\n  }\n}\n`);
  };
  const mend = async (): Promise<void> => {
    // a table that is not there cannot be deleted
    if (isCut) await onEach("table ip sites {}\ndelete table ip sites\n");
    isCut = false;
  };
  return {
    hosts,
    about: "each site reaches the Service of the other one",
    cut,
    mend,
    [Symbol.asyncDispose]: mend,
  };
}

/** Databases, clusters, bundle and namespaces, as docs/kubernetes.md says. */
async function removeSites({ kubectl, latest }: Scene): Promise<void> {
  const patient = { timeoutMs: 130_000 };
  const remove = async (line: string): Promise<void> => {
    const { code, stderr } = await kubectl.run(`delete ${line} --timeout=120s`, [], patient);
    assert.equal(code, 0, stderr);
  };
  for (const site of SITES) await kubectl(`-n ${site} delete pod load --grace-period=0 --force`);
  await remove(`-n ${SITES[0]} reaadb --all`);
  for (const site of SITES)
    for (const kind of ["reaadb", "redb", "rerc", "rec"]) await remove(`-n ${site} ${kind} --all`);
  for (const site of SITES)
    await kubectl.given(bundleFor(latest), `-n ${site} delete --ignore-not-found -f - --timeout=60s`);
  for (const site of SITES) await remove(`namespace ${site}`);
}
