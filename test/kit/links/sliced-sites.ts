import type { SlotRange } from "../../../src/core/base/slot-range.ts";
import { slotOf } from "../../../src/core/slots/slot.ts";
import { namedSlices, slotsOfSite } from "../../../src/core/slots/site-slices.ts";
import type { LinkedDatabase, LinkedDatabaseStatus } from "../../../src/ports/management/link-control.ts";
import type { Address } from "../../../src/ports/management/proxy-control.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { engineNames, loopbackAddress, startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf } from "../engines/proxy.ts";
import { startAll } from "../engines/start-all.ts";
import { digestOf } from "../merge/digest.ts";
import type { Authority } from "#kit/pki/authority";
import { authorityNamed } from "../tls/certificates.ts";
import { startLink, type LinkProcess } from "./link-process.ts";
import { certificateOf, remoteSite } from "./linking.ts";
import { Ways } from "./ways.ts";

const GUID = "b0a1";
const ENGINE_ARGS = ["--repl-diskless-sync-delay", "0", "--save", "", "--repl-backlog-size", "16mb"];

/** A shard of a site, with the link of its node. */
export interface SlicedShard {
  readonly slots: readonly SlotRange[];
  engine: TestEngine;
  readonly at: Address;
  link: LinkProcess;
}

export interface SlicedSite {
  readonly id: number;
  readonly shards: readonly SlicedShard[];
  /** Asks the engine that has the key. */
  ask(key: string, ...command: readonly [string, ...string[]]): Promise<Reply>;
  /** The engine that has the key. */
  engineOf(key: string): TestEngine;
  /** All keys of all shards. */
  digest(): Promise<readonly string[]>;
}

/** Sites of one database, with different numbers of shards. */
export interface SlicedSites extends AsyncDisposable {
  readonly sites: readonly SlicedSite[];
  readonly ways: Ways;
  status(): Promise<readonly LinkedDatabaseStatus[]>;
  /** Each slice of each site is linked with that of every other one, and behind none. */
  areUp(): Promise<boolean>;
  /** Kills the link of a shard and starts another one. */
  restartLink(site: number, shard: number): Promise<void>;
  /** Ends a site's engines and links, with all data, and starts them again: its clients wait for the other sites. */
  lose(site: number): Promise<void>;
}

/** Starts sites with so many shards each, all empty; others reach each site by the link of its first shard. */
export async function startSlicedSites(slices: number, shards: readonly number[]): Promise<SlicedSites> {
  await using stack = new AsyncDisposableStack();
  const sites = await Promise.all(shards.map((count, index) => startSite(index + 1, slotsOfSite(count, slices))));
  stack.defer(async () => {
    for (const { link, engine } of sites.flatMap((site) => site.shards))
      await Promise.all([link.kill(), engine[Symbol.asyncDispose]()]);
  });
  const ids = sites.map(({ id }) => id);
  const authority = authorityNamed("sites");
  const listening = sites.map(({ shards: [first] }) => present(first).at);
  const ways = stack.use(await Ways.open(ids, listening, () => 10));
  const configure = (site: StartedSite, own: SlicedShard): Promise<void> =>
    configureLink({ site, own, ids, ways, slices, authority });
  for (const site of sites) for (const shard of site.shards) await configure(site, shard);
  const status = async (): Promise<readonly LinkedDatabaseStatus[]> =>
    (await Promise.all(sites.flatMap((site) => site.shards.map(({ link }) => link.status())))).flat();
  const owned = stack.move();
  return {
    sites: sites.map(({ id, shards: all }) => slicedSite(id, all)),
    ways,
    status,
    areUp: async () => {
      const all = await status();
      const isUp = (one: LinkedDatabaseStatus): boolean =>
        one.sites.length === ids.length - 1 && one.sites.every(({ state }) => state === "up");
      return all.length === slices * ids.length && all.every(isUp);
    },
    async restartLink(id, shard) {
      const site = present(sites[id - 1]);
      const found = present(site.shards[shard]);
      await found.link.kill();
      found.link = await startLink();
      await configure(site, found);
    },
    async lose(id) {
      const site = present(sites[id - 1]);
      for (const shard of site.shards) await shard.link.kill();
      for (const shard of site.shards) {
        await shard.engine.stop();
        shard.engine = await startSiteEngine(id, addressOf(shard.engine));
        shard.link = await startLink();
      }
      site.awaitsSites = true;
      for (const shard of site.shards) await configure(site, shard);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface StartedSite {
  readonly id: number;
  awaitsSites: boolean;
  readonly shards: readonly SlicedShard[];
}

async function startSite(id: number, tables: readonly (readonly SlotRange[])[]): Promise<StartedSite> {
  const engines = await startAll(...tables.map(() => startSiteEngine(id)));
  const shards = await Promise.all(
    tables.map(async (slots, shard): Promise<SlicedShard> => ({
      slots,
      engine: present(engines[shard]),
      at: { host: loopbackAddress(), port: 9444 },
      link: await startLink(),
    })),
  );
  return { id, awaitsSites: false, shards };
}

/** Sites have engines of different versions. */
function startSiteEngine(id: number, at: Partial<Address> = {}): Promise<TestEngine> {
  const versions = engineNames();
  const engine = versions[id % versions.length];
  return startEngine({ ...(engine === undefined ? {} : { engine }), ...at, args: ENGINE_ARGS });
}

interface Configured {
  readonly site: StartedSite;
  /** The shard whose link is configured. */
  readonly own: SlicedShard;
  readonly ids: readonly number[];
  readonly ways: Ways;
  readonly slices: number;
  readonly authority: Authority;
}

async function configureLink({ site, own, ids, ways, slices, authority }: Configured): Promise<void> {
  const others = ids.filter((id) => id !== site.id);
  const databases = site.shards.flatMap((shard) =>
    namedSlices(GUID, shard.slots, slices).map((named): LinkedDatabase => ({
      ...named,
      bdb: 1,
      site: site.id,
      logins: [],
      confirmedBy: 0,
      awaitsSites: site.awaitsSites,
      keptBytes: 8_388_608,
      ...(shard === own ? { primary: addressOf(shard.engine) } : { relay: shard.at }),
      sites: others.map((other) => remoteSite(other, ways.between(site.id, other), authority)),
    })),
  );
  const certificate = certificateOf(site.id, authority);
  await own.link.configure({ op: "configure", listen: own.at, certificate, databases });
}

function slicedSite(id: number, shards: readonly SlicedShard[]): SlicedSite {
  const engineOf = (key: string): TestEngine => {
    const slot = slotOf(Buffer.from(key));
    return present(shards.find(({ slots }) => slots.some(({ from, to }) => from <= slot && slot <= to))).engine;
  };
  return {
    id,
    shards,
    engineOf,
    ask: (key, ...command) => engineOf(key).call(...command),
    digest: async () => (await Promise.all(shards.map(({ engine }) => digestOf(engine)))).flat().toSorted(),
  };
}

function present<T>(one: T | undefined): T {
  if (one === undefined) throw new Error("there is none of that number");
  return one;
}
