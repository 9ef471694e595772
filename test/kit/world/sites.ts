import { mkdtemp, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLog } from "#kit/base/log";
import { imagesWith } from "../../../scripts/releases/images.ts";
import { STORE } from "../programs.ts";
import { startWorld, type World } from "#kubernetes";
import { bundleFor } from "../../../src/core/releases/bundle/bundle.ts";
import type { Release } from "../../../src/core/releases/catalogue/release.ts";
import { startShell, type Shell } from "./shell.ts";
import { onOfficialBase } from "./base-systems.ts";

/** A place of a cluster: a namespace of one of the worlds, with an operator and a cluster of the same name. */
export interface Site {
  readonly name: string;
  /** A bash of its own, with the kubeconfig of its world. */
  readonly type: Shell;
  /** Applies the bundle of a release. */
  install(release: Release): Promise<void>;
  /** What kubectl prints in its namespace, without the last newline; it must succeed. */
  kubectl(line: string): Promise<string>;
  /** Applies a manifest. */
  apply(manifest: object): Promise<void>;
}

/** Real local worlds side by side, and sites in them, as a user of kubectl sees them. */
export interface Sites extends AsyncDisposable {
  /** A folder of their own. */
  readonly dir: string;
  /** Another world with these sites; operators and clusters of `release`. */
  open(names: readonly string[], release: Release): Promise<readonly Site[]>;
  /** Makes the Service, Secrets and StoreEnterpriseRemoteClusters by which these sites find each other. */
  introduce(sites: readonly Site[]): Promise<void>;
  /** What the worlds have logged so far. */
  log(): string;
}

const ROOT = join(import.meta.dirname, "../../..");

export async function startSites(): Promise<Sites> {
  const owned = new AsyncDisposableStack();
  const dir = owned.use(await mkdtempDisposable(join(tmpdir(), "sites-"))).path;
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => new Date(),
  );
  const worlds: World[] = [];
  owned.defer(async () => void (await Promise.all(worlds.map((world) => world.stop()))));
  return {
    dir,
    log: () => lines.join(""),
    async open(names, release) {
      const folder = await mkdtemp(join(dir, "world-"));
      const world = await startWorld({
        dir: folder,
        log,
        images: onOfficialBase(imagesWith([], join(folder, "cache"), STORE)),
        retry: { baseMs: 200, maxMs: 2_000 },
      });
      worlds.push(world);
      const sites: Site[] = [];
      // one after the other: their bundles share the definitions
      for (const name of names) {
        const type = owned.use(startShell(ROOT, { ...process.env, HOME: dir, KUBECONFIG: world.kubeconfig }));
        sites.push(await openSite(type, dir, name, release));
      }
      await Promise.all(sites.map((site) => makeCluster(site, release)));
      return sites;
    },
    introduce: (sites) => introduce(dir, sites),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function openSite(type: Shell, dir: string, name: string, release: Release): Promise<Site> {
  const kubectl = (line: string): Promise<string> => type(`kubectl -n ${name} ${line}`);
  const site: Site = {
    name,
    type,
    kubectl,
    async install(next) {
      const file = join(dir, `${name}-bundle.yaml`);
      await writeFile(file, bundleFor(next));
      await kubectl(`apply -f ${file}`);
      await kubectl("rollout status deployment/store-enterprise-operator --timeout=120s");
    },
    async apply(manifest) {
      const file = join(dir, `${name}-manifest.json`);
      await writeFile(file, JSON.stringify({ apiVersion: "app.storeenterprise.io/v1", ...manifest }));
      await kubectl(`apply -f ${file}`);
    },
  };
  await kubectl(`create namespace ${name}`);
  await site.install(release);
  return site;
}

async function makeCluster(site: Site, release: Release): Promise<void> {
  const { name } = site;
  const versionTag = release.nodeTag;
  await site.apply({
    kind: "StoreEnterpriseCluster",
    metadata: { name },
    spec: { nodes: 3, storeEnterpriseImageSpec: { versionTag } },
  });
  await site.kubectl(`wait rec/${name} --for=jsonpath='{.status.state}'=Running --timeout=240s`);
}

/** As docs/active-active.md says. */
async function introduce(dir: string, sites: readonly Site[]): Promise<void> {
  const addresses = new Map<string, string>();
  for (const { name, type, kubectl } of sites) {
    const service = await kubectl("get service -o name");
    if (!service.includes(`service/${name}-api`)) await kubectl(`expose service ${name} --name=${name}-api`);
    addresses.set(name, await kubectl(`get service ${name}-api -o jsonpath='{.spec.clusterIP}'`));
    await type(`mkdir -p -m 700 ${dir}/${name}`);
    await kubectl(`get secret ${name} -o jsonpath='{.data.username}' | base64 -d > ${dir}/${name}/username`);
    await kubectl(`get secret ${name} -o jsonpath='{.data.password}' | base64 -d > ${dir}/${name}/password`);
    await kubectl(`get secret ${name}-node-tls -o jsonpath='{.data.ca\\.crt}' | base64 -d > ${dir}/${name}/ca.crt`);
  }
  for (const here of sites) {
    const known = await here.kubectl("get secret -o name");
    for (const { name: there } of sites) {
      const secret = `store-enterprise-${there}`;
      if (there !== here.name && !known.includes(`secret/${secret}`)) {
        await here.kubectl(`create secret generic ${secret} --from-file=${dir}/${there}`);
      }
      const spec = { recName: there, recNamespace: there, apiFqdnUrl: addresses.get(there) };
      await here.apply({ kind: "StoreEnterpriseRemoteCluster", metadata: { name: there }, spec });
    }
  }
}
