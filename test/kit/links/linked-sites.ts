import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  LinkCertificate,
  LinkedDatabase,
  LinkedDatabaseStatus,
  LinkedSite,
} from "../../../src/ports/management/link-control.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import { issue, type Authority } from "../../../src/ports/pki/authority.ts";
import { engineNames, loopbackAddress, startEngine, type TestEngine } from "../engines/engine.ts";
import { startAll } from "../engines/start-all.ts";
import { authorityNamed } from "../tls/certificates.ts";
import { startLink, type LinkProcess } from "./link-process.ts";
import { startWay, type CuttableWay } from "../../../src/programs/demo/sites/way.ts";

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
  heal(): void;
  /** Every site is linked with every other one, and behind none. */
  areUp(): Promise<boolean>;
  /** Takes a site out of the database, and ends its link. */
  remove(site: number): Promise<void>;
  /** Kills the link of a site and starts another one. */
  restartLink(site: number): Promise<void>;
  /** Ends the link, then the engine of a site, which has kept its data on disk, and starts both again; `between` has the engine alone. */
  restartEngine(site: number, between: (engine: TestEngine) => Promise<void>): Promise<void>;
  /** Kills the primary of a site, makes its replica the primary, and has the link follow that. */
  promoteReplica(site: number): Promise<void>;
}

export interface LinkedSitesOptions {
  readonly sites?: number;
  readonly latencyMs?: number;
  /** Engines keep their data on disk. */
  readonly keepsData?: boolean;
  /** Sites that others reach by a node without the primary. */
  readonly behindAnother?: readonly number[];
  /** Sites whose certificates no other one trusts. */
  readonly strangers?: readonly number[];
  /** Each engine has a replica of the same version, which has to have what sites learn. */
  readonly withReplicas?: boolean;
}

const GUID = "b0a1";
const ENGINE_ARGS = ["--repl-diskless-sync-delay", "0", "--save", "", "--repl-backlog-size", "16mb"];

/** Starts them, all empty. */
export async function startLinkedSites(options: LinkedSitesOptions = {}): Promise<LinkedSites> {
  await using stack = new AsyncDisposableStack();
  const ids = Array.from({ length: options.sites ?? 3 }, (_, index) => index + 1);
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "sites-")));
  const start = (id: number, at: Partial<Address> = {}): Promise<TestEngine> =>
    startSiteEngine(id, options.keepsData === true ? join(folder.path, String(id)) : undefined, at);
  const engines = await startAll(...ids.map((id) => start(id)));
  const replicas = options.withReplicas === true ? await startAll(...engines.map(replicaOf)) : [];
  for (const engine of [...engines, ...replicas]) stack.use(engine);
  const listening = ids.map(() => ({ host: loopbackAddress(), port: 9444 }));
  const reached = listening.map((address, index) =>
    options.behindAnother?.includes(index + 1) === true ? { ...address, host: loopbackAddress() } : address,
  );
  const ways = stack.use(await Ways.open(ids, reached, options.latencyMs ?? 20));
  const linking = new Linking(listening, ways, options.strangers ?? []);
  const sites = await Promise.all(
    engines.map(async (engine, index) => {
      const site = { id: index + 1, engine, confirmedBy: replicas.length === 0 ? 0 : 1 };
      return { ...site, link: await linking.open(site) };
    }),
  );
  stack.defer(async () => {
    for (const { link } of sites) await link.kill();
  });
  for (const link of await linking.openBeside(reached)) stack.use(link);
  const known = (id: number): (typeof sites)[number] => present(sites[id - 1]);
  const owned = stack.move();
  return {
    ...{ sites, engines, areUp: () => areUp(sites), heal: () => ways.mend() },
    cut: (site, from) => ways.cut(site, from),
    async remove(id) {
      await known(id).link.kill();
      linking.remove(id);
      sites.splice(id - 1, 1);
      for (const site of sites) await linking.configure(site.link, site);
    },
    async restartLink(id) {
      const site = known(id);
      await site.link.kill();
      site.link = await linking.open(site);
    },
    async restartEngine(id, between) {
      const site = known(id);
      await site.link.kill();
      await between(site.engine);
      await site.engine.stop();
      const { host, port } = site.engine;
      site.engine = owned.use(await start(id, { host, port }));
      site.link = await linking.open(site);
    },
    async promoteReplica(id) {
      const [site, replica] = [known(id), present(replicas[id - 1])];
      await promote(replica, site.engine);
      site.engine = replica;
      site.confirmedBy = 0;
      await linking.configure(site.link, site);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** What the link of a site is to follow. */
interface Followed {
  readonly id: number;
  readonly engine: Address;
  readonly confirmedBy: number;
}

/** Plays the agents: says to links what they link. */
class Linking {
  readonly #listening: readonly Address[];
  readonly #ways: Ways;
  readonly #strangers: readonly number[];
  readonly #removed = new Set<number>();
  readonly #authority = authorityNamed("sites");
  readonly #stranger = authorityNamed("strangers");

  constructor(listening: readonly Address[], ways: Ways, strangers: readonly number[]) {
    this.#listening = listening;
    this.#ways = ways;
    this.#strangers = strangers;
  }

  remove(id: number): void {
    this.#removed.add(id);
  }

  async open(site: Followed): Promise<LinkProcess> {
    const link = await startLink();
    await this.configure(link, site);
    return link;
  }

  /** Links of other nodes, which have no primary, where a site is reached elsewhere than at its own link. */
  async openBeside(reached: readonly Address[]): Promise<readonly LinkProcess[]> {
    const beside = reached.map((at, index) => ({ at, id: index + 1, relay: this.#listening[index] }));
    return Promise.all(
      beside
        .filter(({ at, relay }) => at !== relay)
        .map(async ({ at: listen, id, relay }) => {
          const link = await startLink();
          const { primary: _primary, ...database } = this.#databaseOf({ id, engine: listen, confirmedBy: 0 });
          const databases = [relay === undefined ? database : { ...database, relay }];
          await link.configure({ op: "configure", listen, certificate: certificateOf(id, this.#authority), databases });
          return link;
        }),
    );
  }

  async configure(link: LinkProcess, site: Followed): Promise<void> {
    const listen = this.#listening[site.id - 1];
    if (listen === undefined) throw new Error(`there is no site ${site.id}`);
    const certificate = certificateOf(site.id, this.#strangers.includes(site.id) ? this.#stranger : this.#authority);
    await link.configure({ op: "configure", listen, certificate, databases: [this.#databaseOf(site)] });
  }

  #databaseOf({ id, engine: { host, port }, confirmedBy }: Followed): LinkedDatabase {
    const others = this.#listening
      .map((_, index) => index + 1)
      .filter((other) => other !== id && !this.#removed.has(other));
    return {
      ...{ guid: GUID, bdb: 1, site: id, logins: [], confirmedBy, awaitsSites: false, primary: { host, port } },
      sites: others.map((other) => remoteSite(other, this.#ways.between(id, other), this.#authority)),
    };
  }
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
  const kept = folder === undefined ? [] : ["--appendonly", "yes", "--dir", folder];
  return startEngine({ engine: names[id % names.length], args: [...ENGINE_ARGS, ...kept], ...at });
}

async function replicaOf(primary: TestEngine): Promise<TestEngine> {
  const replica = await startEngine({ engine: primary.name, args: ENGINE_ARGS });
  await replica.follow(primary);
  return replica;
}

function remoteSite(id: number, { address }: CuttableWay, { certificate }: Authority): LinkedSite {
  return { id, name: `site-${id}`, address, serverName: nameOf(id), authorities: certificate };
}

function certificateOf(id: number, authority: Authority): LinkCertificate {
  const about = {
    commonName: nameOf(id),
    dnsNames: [nameOf(id)],
    ipAddresses: [],
    usages: ["server", "client"] as const,
  };
  const pair = issue(authority, { ...about, now: new Date(), days: 1 });
  return { ...pair, authorities: authority.certificate, serverName: nameOf(id) };
}

function nameOf(id: number): string {
  return `site-${id}.example`;
}

/** One way from each site to each other. */
class Ways implements AsyncDisposable {
  readonly #ways = new Map<string, { readonly way: CuttableWay; readonly ends: readonly [number, number] }>();

  static async open(ids: readonly number[], listening: readonly Address[], latencyMs: number): Promise<Ways> {
    const ways = new Ways();
    const host = loopbackAddress();
    for (const from of ids)
      for (const to of ids) {
        const target = listening[to - 1];
        if (from === to || target === undefined) continue;
        ways.#ways.set(`${from} ${to}`, {
          way: await startWay({ host, port: 0 }, target, latencyMs),
          ends: [from, to],
        });
      }
    return ways;
  }

  between(from: number, to: number): CuttableWay {
    const found = this.#ways.get(`${from} ${to}`);
    if (found === undefined) throw new Error(`there is no way from ${from} to ${to}`);
    return found.way;
  }

  cut(site: number, other: number | undefined): void {
    for (const { way, ends } of this.#ways.values())
      if (ends.includes(site) && (other === undefined || ends.includes(other))) way.cut();
  }

  mend(): void {
    for (const { way } of this.#ways.values()) way.mend();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { way } of this.#ways.values()) await way[Symbol.asyncDispose]();
  }
}
