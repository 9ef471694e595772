import { clusterNames } from "../../../core/api/names.ts";
import type { AskedVersion } from "../../../core/api/records.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import { bundleFor } from "../../../core/releases/bundle/bundle.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { Namespaces, Secrets, Services } from "#kit/kube/builtin";
import { applyManifest } from "#kit/kube/manifest";
import { findEndpoint } from "../scenario.ts";
import { waitForOperator, type ScenarioContext } from "../steps/steps.ts";
import { waitForObject } from "../steps/wait.ts";
import type { SiteContent, SiteEndpoint, SiteLoad, SiteWrites } from "./clients.ts";
import type { SiteNetwork } from "./network.ts";
import {
  remoteCluster,
  remoteSecret,
  SHARED_DATABASE,
  sharedDatabase,
  SITES,
  siteCluster,
  type DemoSite,
} from "./objects.ts";

export interface SitesOptions {
  readonly release: Release;
  readonly fromVersion: AskedVersion;
  readonly toVersion: AskedVersion;
  /** Opens the network between the sites, which leads to the addresses that they have. */
  readonly openNetwork: (targets: Readonly<Record<DemoSite, string>>) => Promise<SiteNetwork>;
  /** Starts the clients of a site. */
  readonly startLoad: (site: DemoSite, endpoint: SiteEndpoint) => Promise<SiteLoad>;
  /** How long clients write with a cut network, in milliseconds. */
  readonly cutMs: number;
}

/** What the demo has shown. */
export interface SitesOutcome {
  readonly writes: Readonly<Record<DemoSite, SiteWrites>>;
  /** Acknowledged while no site reached the other one. */
  readonly duringCut: number;
  /** From the mended network until both said that nothing was missing, in milliseconds. */
  readonly healedMs: number;
  readonly versions: Readonly<Record<DemoSite, string>>;
  readonly contents: Readonly<Record<DemoSite, SiteContent>>;
}

const LIMIT_MS = 240_000;
const NODES = 3;

/** Two sites that are written at once: a cut network, a heal, and a newer version of the database. */
export async function runSites(context: ScenarioContext, options: SitesOptions): Promise<SitesOutcome> {
  const { progress } = context;
  progress.section("Make two clusters");
  for (const site of SITES) await makeSite(context, site, options.release);
  await using network = await introduce(context, options);
  progress.section("Make one database on both");
  await context.kube.create(ActiveActiveDatabases, sharedDatabase(options.fromVersion));
  for (const site of SITES) await serves(context, site, options.fromVersion);
  await replicates(context);
  progress.report(`${SHARED_DATABASE} is active on both sites, and they replicate`);
  await using east = await startLoad(context, options, "east");
  await using west = await startLoad(context, options, "west");
  const clients = { east, west };
  const cut = await cutAndHeal(context, network, clients, options.cutMs);
  progress.section("Upgrade the database, set on one site");
  await upgrade(context, options.toVersion);
  progress.section("Compare");
  const writes = { east: await east.stop(), west: await west.stop() };
  const contents = await awaitSameContent(context, clients);
  const versions = { east: await versionOf(context, "east"), west: await versionOf(context, "west") };
  return { writes, contents, versions, ...cut };
}

async function makeSite(context: ScenarioContext, site: DemoSite, release: Release): Promise<void> {
  const { kube, progress } = context;
  await kube.create(Namespaces, { metadata: { name: site } });
  await applyManifest(kube, bundleFor(release), site, "demo");
  await waitForOperator(context, site, release);
  await kube.create(Clusters, siteCluster(site, release.nodeTag));
  await waitForObject(
    context,
    Clusters,
    { namespace: site, name: site },
    {
      what: `cluster ${site} is Running`,
      withinMs: LIMIT_MS,
      isMet: ({ status }) => status?.state === "Running" && (status.nodes ?? []).length === NODES,
    },
  );
  progress.report(`cluster ${site} is Running: ${NODES} nodes of version ${release.nodeTag}`);
}

/** Each site gets what the other one shows and takes; the ways between them can be cut. */
async function introduce(context: ScenarioContext, options: SitesOptions): Promise<SiteNetwork> {
  const { kube, progress } = context;
  const targets = { east: await addressOf(context, "east"), west: await addressOf(context, "west") };
  await using stack = new AsyncDisposableStack();
  const network = stack.use(await options.openNetwork(targets));
  for (const site of SITES) {
    const data = await credentialsOf(context, site);
    for (const here of SITES) {
      if (here !== site) await kube.create(Secrets, remoteSecret(site, here, data));
      await kube.create(RemoteClusters, remoteCluster(site, here, network.hosts[site]));
    }
  }
  progress.report(network.about);
  stack.move();
  return network;
}

/** A Service by which others reach the nodes of a site. */
async function addressOf({ kube }: ScenarioContext, site: DemoSite): Promise<string> {
  const nodes = await kube.get(Services, { namespace: site, name: site });
  const { selector = {}, ports = [] } = nodes?.spec ?? {};
  const made = await kube.create(Services, {
    metadata: { namespace: site, name: `${site}-api` },
    spec: { selector, ports: ports.map(({ name = "", port }) => ({ name, port })) },
  });
  return made.spec?.clusterIP ?? "";
}

async function credentialsOf({ kube }: ScenarioContext, site: DemoSite): Promise<Readonly<Record<string, string>>> {
  const login = await kube.get(Secrets, { namespace: site, name: site });
  const tls = await kube.get(Secrets, { namespace: site, name: clusterNames.nodeTlsSecret(site) });
  const { username = "", password = "" } = login?.data ?? {};
  return { username, password, "ca.crt": tls?.data?.["ca.crt"] ?? "" };
}

async function serves(context: ScenarioContext, site: DemoSite, version: AskedVersion): Promise<void> {
  await waitForObject(
    context,
    Databases,
    { namespace: site, name: SHARED_DATABASE },
    {
      what: `database of ${site} is active at ${version}`,
      withinMs: LIMIT_MS,
      isMet: ({ metadata, status }) =>
        status?.status === "active" &&
        status.observedGeneration === metadata.generation &&
        (status.version ?? "").startsWith(version),
    },
  );
}

async function replicates(context: ScenarioContext): Promise<void> {
  for (const site of SITES)
    await waitForObject(
      context,
      ActiveActiveDatabases,
      { namespace: site, name: SHARED_DATABASE },
      {
        what: `${site} replicates`,
        withinMs: LIMIT_MS,
        isMet: ({ status }) => status?.replicationStatus === "up",
      },
    );
}

async function startLoad(context: ScenarioContext, options: SitesOptions, site: DemoSite): Promise<SiteLoad> {
  return options.startLoad(site, await findEndpoint(context, SHARED_DATABASE, site));
}

type Clients = Readonly<Record<DemoSite, SiteLoad>>;

async function cutAndHeal(context: ScenarioContext, network: SiteNetwork, clients: Clients, cutMs: number) {
  const { progress, clock, signal } = context;
  progress.section("Cut the network between the sites");
  await clock.sleep(cutMs, signal);
  await network.cut();
  const before = await acknowledgedBy(clients);
  await clock.sleep(cutMs, signal);
  const written = await acknowledgedBy(clients);
  const duringCut = SITES.reduce((sum, site) => sum + written[site] - before[site], 0);
  progress.report(`clients of both sites have written ${duringCut} times meanwhile`);
  await network.mend();
  const mended = performance.now();
  await haveAll(clients, written, signal);
  const healedMs = Math.round(performance.now() - mended);
  progress.report(`each site had what the other one had written ${healedMs} ms after the network was back`);
  return { duringCut, healedMs };
}

async function acknowledgedBy({ east, west }: Clients): Promise<Readonly<Record<DemoSite, number>>> {
  return { east: (await east.written()).acknowledged, west: (await west.written()).acknowledged };
}

/** Each site holds at least as many members of each site as that. */
async function haveAll(
  clients: Clients,
  written: Readonly<Record<DemoSite, number>>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const now = await Promise.all(SITES.map((site) => clients[site].content()));
    if (now.every(({ membersOf }) => SITES.every((site) => membersOf[site] >= written[site]))) return;
  }
}

async function upgrade(context: ScenarioContext, version: AskedVersion): Promise<void> {
  const [, last] = SITES;
  const ref = { namespace: last, name: SHARED_DATABASE };
  await context.kube.patch(ActiveActiveDatabases, ref, { type: "merge", body: { spec: { storeVersion: version } } });
  context.progress.report(`set spec.storeVersion on ${last} to "${version}"`);
  for (const site of SITES) {
    await serves(context, site, version);
    context.progress.report(`${site} serves version ${await versionOf(context, site)}`);
  }
}

async function versionOf({ kube }: ScenarioContext, site: DemoSite): Promise<string> {
  return (await kube.get(Databases, { namespace: site, name: SHARED_DATABASE }))?.status?.version ?? "";
}

/** What both hold when they hold the same and no limiter is left; what they hold at last when they do not come to that. */
async function awaitSameContent(
  { clock, signal }: ScenarioContext,
  clients: Clients,
): Promise<Readonly<Record<DemoSite, SiteContent>>> {
  const until = clock.uptimeMs() + LIMIT_MS;
  for (;;) {
    const contents = { east: await clients.east.content(), west: await clients.west.content() };
    const isSame = contents.east.text === contents.west.text && contents.east.limiters === 0;
    if (isSame || clock.uptimeMs() > until) return contents;
    await clock.sleep(20, signal);
  }
}
