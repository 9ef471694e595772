import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LinkedDatabaseStatus } from "../../../src/ports/management/link-control.ts";
import { noteSizes } from "#kit/files/noted-sizes";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { engineNames, loopbackAddress, startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf } from "../engines/proxy.ts";
import { startAll } from "../engines/start-all.ts";
import { Linking, type Followed, type LinkingOptions } from "./linking.ts";
import type { LinkProcess } from "./link-process.ts";
import { Ways } from "./ways.ts";

/** A site: an engine, and its link. */
export interface LinkedTestSite {
  readonly id: number;
  readonly engine: TestEngine;
  readonly link: LinkProcess;
}

/** Sites with real engines of different versions and real links, over ways that have a latency and can be cut. */
export interface LinkedSites extends AsyncDisposable {
  readonly sites: readonly LinkedTestSite[];
  readonly engines: readonly TestEngine[];
  /** Cuts a site off from all others, or from one. */
  cut(site: number, from?: number): void;
  /** The site reaches no other one, while others reach it. */
  cutFrom(site: number): void;
  heal(): void;
  /** Every site is linked with every other one, and behind none. */
  areUp(): Promise<boolean>;
  /** Takes a site out of the database, and ends its link. */
  remove(site: number): Promise<void>;
  /** Kills the link of a site and starts another one; `between` has the engine without a link. */
  restartLink(site: number, between?: (engine: TestEngine) => Promise<void>): Promise<void>;
  /** Ends the link, then the engine of a site, which has kept its data on disk, and starts both again; `between` has the engine alone, and `begun` the one that follows it. */
  restartEngine(
    site: number,
    between: (engine: TestEngine) => Promise<void>,
    begun?: (engine: TestEngine) => Promise<void>,
  ): Promise<void>;
  /** Kills links and engines of sites at once, and starts all again: `between` has their disks, before any of them begins. */
  losePower(sites: readonly number[], between: () => Promise<void>): Promise<void>;
  /** Ends link and engine of sites, with all their data, and starts both again: their clients wait for the other sites. */
  lose(...sites: readonly number[]): Promise<void>;
  /** Kills the primary of a site, makes its replica the primary, and has the link follow that. */
  promoteReplica(site: number): Promise<void>;
}

export interface LinkedSitesOptions extends LinkingOptions {
  readonly sites?: number;
  readonly latencyMs?: number;
  /** Engines keep their data on disk: a kill takes nothing that was answered. Links read what was appended, or cannot. */
  readonly keepsData?: "read" | "unread";
  /** Sites that others reach by a node without the primary. */
  readonly behindAnother?: readonly number[];
  /** Each engine has a replica of the same version, which has to have what sites learn. */
  readonly withReplicas?: boolean;
}

const ENGINE_ARGS = ["--repl-diskless-sync-delay", "0", "--save", "", "--repl-backlog-size", "16mb"];

/** Starts them, all empty. */
export async function startLinkedSites(options: LinkedSitesOptions = {}): Promise<LinkedSites> {
  await using stack = new AsyncDisposableStack();
  const ids = Array.from({ length: options.sites ?? 3 }, (_, index) => index + 1);
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "sites-")));
  const { dataFolder, appendOnlyFolder } = foldersIn(folder.path, options);
  const start = (id: number, at: Partial<Address> = {}): Promise<TestEngine> => startSiteEngine(id, dataFolder(id), at);
  const engines = await startAll(...ids.map((id) => start(id)));
  const replicas = options.withReplicas === true ? await startAll(...engines.map(replicaOf)) : [];
  for (const engine of [...engines, ...replicas]) stack.use(engine);
  const listening = ids.map(() => ({ host: loopbackAddress(), port: 9444 }));
  const isBehind = (index: number): boolean => options.behindAnother?.includes(index + 1) === true;
  const reached = listening.map((at, index) => (isBehind(index) ? { ...at, host: loopbackAddress() } : at));
  const ways = stack.use(await Ways.open(ids, reached, () => options.latencyMs ?? 20));
  const linking = new Linking(listening, ways, options);
  const follows = { confirmedBy: replicas.length === 0 ? 0 : 1, appendOnlyFolder };
  const sites = await openSites(engines, follows, linking);
  stack.defer(async () => void (await Promise.all(sites.map(({ link }) => link.kill()))));
  for (const link of await linking.openBeside(reached)) stack.use(link);
  const known = (id: number): FollowedSite => present(sites[id - 1]);
  const owned = stack.move();
  const restart = async (site: FollowedSite): Promise<void> => {
    await site.engine.stop();
    site.engine = owned.use(await start(site.id, addressOf(site.engine)));
  };
  return {
    sites,
    engines,
    areUp: () => areUp(sites),
    heal: () => ways.mend(),
    cut: (site, from) => ways.cut(site, from),
    cutFrom: (site) => ways.cutFrom(site),
    remove: (id) => removeSite(known(id), sites, linking),
    restartLink: (id, between) => reopenLink(known(id), linking, between),
    async restartEngine(id, between, begun) {
      const site = known(id);
      const restarted = (engine: TestEngine) => between(engine).then(() => restart(site));
      await reopenLink(site, linking, (engine) => restarted(engine).then(() => begun?.(site.engine)));
    },
    async losePower(ids, between) {
      const cut = ids.map(known);
      await Promise.all(cut.flatMap(({ link, engine }) => [link.kill(), engine.stop()]));
      await between();
      await Promise.all(cut.map(restart));
      await openLinks(cut, linking);
    },
    async lose(...ids) {
      const lost = ids.map(known);
      for (const site of lost) await site.link.kill();
      for (const site of lost) await restart(site).then(() => (site.awaitsSites = true));
      await openLinks(lost, linking);
    },
    async promoteReplica(id) {
      const [site, replica] = [known(id), present(replicas[id - 1])];
      await promote(replica, site.engine);
      Object.assign(site, { engine: replica, confirmedBy: 0, appendOnlyFolder: undefined });
      await linking.configure(site.link, site);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Where the engine of a site keeps its data, and where its link reads. */
function foldersIn(folder: string, { keepsData }: LinkedSitesOptions) {
  const dataFolder = (id: number): string | undefined =>
    keepsData === undefined ? undefined : join(folder, String(id));
  const appendOnlyFolder = (id: number): string | undefined =>
    keepsData === "read" ? join(folder, String(id), "appendonlydir") : undefined;
  return { dataFolder, appendOnlyFolder };
}

interface FollowedSite extends Followed {
  engine: TestEngine;
  appendOnlyFolder: string | undefined;
  confirmedBy: number;
  awaitsSites: boolean;
  link: LinkProcess;
}

function openSites(
  engines: readonly TestEngine[],
  follows: { readonly confirmedBy: number; readonly appendOnlyFolder: (id: number) => string | undefined },
  linking: Linking,
): Promise<FollowedSite[]> {
  const open = async (engine: TestEngine, index: number): Promise<FollowedSite> => {
    const id = index + 1;
    const { confirmedBy } = follows;
    const site = { id, engine, confirmedBy, awaitsSites: false, appendOnlyFolder: follows.appendOnlyFolder(id) };
    return { ...site, link: await linking.open(site) };
  };
  return Promise.all(engines.map(open));
}

async function openLinks(sites: readonly FollowedSite[], linking: Linking): Promise<void> {
  await Promise.all(sites.map(async (site) => (site.link = await linking.open(site))));
}

function present<T>(one: T | undefined): T {
  if (one === undefined) throw new Error("there is none of that number");
  return one;
}

async function areUp(sites: readonly LinkedTestSite[]): Promise<boolean> {
  const all = (await Promise.all(sites.map(({ link }) => link.status()))).flat();
  const isUp = (linked: LinkedDatabaseStatus): boolean =>
    linked.sites.length === sites.length - 1 && linked.sites.every(({ state }) => state === "up");
  return all.length === sites.length && all.every(isUp);
}

async function reopenLink(
  site: FollowedSite,
  linking: Linking,
  between?: (engine: TestEngine) => Promise<void>,
): Promise<void> {
  await site.link.kill();
  await between?.(site.engine);
  site.link = await linking.open(site);
}

async function removeSite(left: FollowedSite, sites: FollowedSite[], linking: Linking): Promise<void> {
  await left.link.kill();
  linking.remove(left.id);
  sites.splice(left.id - 1, 1);
  for (const site of sites) await linking.configure(site.link, site);
}

async function promote(replica: TestEngine, primary: TestEngine): Promise<void> {
  const client = await primary.connect();
  await client.call("SET", "last", "1");
  // replication is asynchronous: what the replica lacks is lost for every site
  await client.call("WAIT", 1, 5_000);
  await primary.stop();
  await replica.call("REPLICAOF", "NO", "ONE");
}

/** Each site has another version where the machine has them; with a folder, the engine keeps its data there. */
async function startSiteEngine(id: number, folder: string | undefined, at: Partial<Address>): Promise<TestEngine> {
  const names = engineNames();
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  if (folder !== undefined) await noteSizes(join(folder, "appendonlydir")); // as an agent does
  const kept = folder === undefined ? [] : ["--appendonly", "yes", "--appendfsync", "always", "--dir", folder];
  return startEngine({ engine: names[id % names.length], args: [...ENGINE_ARGS, ...kept], ...at });
}

async function replicaOf(primary: TestEngine): Promise<TestEngine> {
  const replica = await startEngine({ engine: primary.name, args: ENGINE_ARGS });
  await replica.follow(primary);
  return replica;
}
