import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tallyArchive } from "../kit/modules/module-archive.ts";
import type { SiteEndpoint } from "../kit/links/site-writer.ts";
import { until } from "#kit/testing/until";
import type { Site, Sites } from "../kit/world/sites.ts";
import { listOf as objectsOf } from "./by-hand-scene.ts";

export const PATIENCE = { withinMs: 120_000, everyMs: 250 };

/** An Active-Active database as it is applied. */
export function database(name: string, spec: object): object {
  return { kind: "StoreEnterpriseActiveActiveDatabase", metadata: { name }, spec };
}

/** Waits until the database of this site is ready at a version. */
export async function serves(site: Site, name: string, version: string): Promise<void> {
  await says(site, name, new RegExp(`^Active .*serves version ${version.replace(".", "\\.")} `));
}

/** Waits until reason and message of the condition Ready match. */
export async function says(site: Site, name: string, claim: RegExp): Promise<void> {
  const ready = `{range .status.conditions[?(@.type=="Ready")]}{.reason} {.message}{end}`;
  let seen = "";
  await until(
    `${name} on ${site.name} says ${String(claim)}`,
    async () => {
      seen = await site.kubectl(`get reaadb ${name} --ignore-not-found -o jsonpath='${ready}'`);
      return claim.test(seen);
    },
    PATIENCE,
  ).catch((error: unknown) => failWith(site)(`${String(error)}; it says: ${seen}`));
}

/** Reason of the condition Reachable. */
export async function reachable(site: Site, name: string): Promise<string> {
  return site.kubectl(`get rerc ${name} -o jsonpath='{.status.conditions[?(@.type=="Reachable")].reason}'`);
}

/** Fails with what the objects and the operator of the site say. */
export function failWith(site: Site): (error: unknown) => Promise<never> {
  return async (error) => {
    const objects = await site.kubectl("get rec,rerc,reaadb,redb");
    const log = await site.kubectl("logs deployment/store-enterprise-operator --tail=15");
    throw new Error(`${String(error)}\n${objects}\n${log}`);
  };
}

/** What the management API of the site answers, at any node or at one. */
export async function management(site: Site, path: string, options = "", node?: number): Promise<string> {
  const { name, kubectl, type } = site;
  const ofService = `get service ${name}-api -o jsonpath='{.spec.clusterIP}'`;
  const ofNode = `get pod ${name}-${(node ?? 1) - 1} -o jsonpath='{.status.podIP}'`;
  const address = await kubectl(node === undefined ? ofService : ofNode);
  const login = await kubectl(`get secret ${name} -o jsonpath='{.data.username} {.data.password}'`);
  const [user, password] = login.split(" ").map((text) => Buffer.from(text, "base64").toString());
  return type(`curl -fsSk -u '${user}:${password}' ${options} https://${address}:9443${path}`);
}

/** A module with a build for each version that the test uses, and a number of its own. */
export async function installTally(sites: Sites, site: Site): Promise<void> {
  for (const compatible of ["7.2", "7.4", "8.0"]) {
    const file = join(sites.dir, `tally-${compatible}.zip`);
    await writeFile(file, await tallyArchive({ compatible, version: `${compatible}.0` }));
    await management(site, "/v2/modules", `-F module=@${file}`);
  }
  const modules = () => site.kubectl(`get rec ${site.name} -o jsonpath='{.status.modules[*].name}'`);
  await until(`${site.name} has the module`, async () => (await modules()).includes("tally"), PATIENCE);
}

/** uid of the node with the primary. */
export async function primaryOf(site: Site): Promise<number> {
  const shards = objectsOf(await management(site, "/v1/shards"));
  return Number(shards.find(({ role }) => role === "master")?.["node_uid"]);
}

/** Where clients of the database of this site connect. */
export async function endpointOf(site: Site): Promise<SiteEndpoint> {
  const address = await site.kubectl("get service carts -o jsonpath='{.spec.clusterIP} {.spec.ports[0].port}'");
  const [host = "", port] = address.split(" ");
  const password = await site.kubectl("get secret redb-carts -o jsonpath='{.data.password}' | base64 -d");
  return { host, port: Number(port), password };
}

/** Waits until the database of this site is linked with all others. */
export async function isUp(site: Site): Promise<void> {
  const status = "get reaadb carts -o jsonpath='{.status.replicationStatus}'";
  const why = `get reaadb carts -o jsonpath='{.status.conditions[?(@.type=="Replicating")].message}'`;
  const up = async (): Promise<boolean> => (await site.kubectl(status)) === "up";
  await until(`${site.name} replicates`, up, PATIENCE).catch(async (error: unknown) =>
    failWith(site)(`${String(error)}: ${await site.kubectl(why)}`),
  );
}
