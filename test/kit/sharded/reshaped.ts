import { inOrder, isSameTable } from "../../../src/core/slots/named-slots.ts";
import { evenSlots, slotsOf, type SizedShard } from "../../../src/core/slots/shard-slots.ts";
import type { Address, EndpointConfig, EndpointShard } from "../../../src/ports/management/proxy-control.ts";
import { startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, type TestProxy } from "../engines/proxy.ts";
import { RawClient } from "../engines/raw-client.ts";
import { startAll } from "../engines/start-all.ts";
import { wantedShards } from "../mover/wanted-shards.ts";
import { MovedShards, type MovedSlots } from "../mover/moved-shards.ts";

/** How a change of the number of shards goes otherwise than usual. */
export interface Reshape {
  /** Those of the proxies, by their places, that neither prepare nor hold, and learn of the new shards by their configuration alone. */
  readonly absent?: readonly number[];
  /** Called while clients are held, before the new shards serve. */
  readonly whileHeld?: () => Promise<void>;
}

/** A database behind several proxies that gets other numbers of shards, with a real mover each time. */
export class Reshaped implements AsyncDisposable {
  readonly proxies: readonly TestProxy[];
  /** Of the shards that serve, in their order. */
  engines: readonly TestEngine[];
  tableEpoch = 0;
  endpoints: readonly EndpointConfig[] = [];
  /** Those of all shards that have been, and of the movers. */
  readonly #all: AsyncDisposable[];
  /** Those of all shards that have been. */
  readonly #targets: TestEngine[];
  #nextShard = 1;

  private constructor(proxies: readonly TestProxy[], engines: readonly TestEngine[], more: Partial<EndpointConfig>) {
    this.proxies = proxies;
    this.engines = engines;
    this.#all = [...engines];
    this.#targets = [...engines];
    const shards = this.#shardsAt(engines, evenSlots(engines.length));
    this.endpoints = proxies.map((_, at) => endpointFor(undefined, { node: at + 1, shards, ...more }));
  }

  static async start(
    shards: number,
    { proxies = 1, ...more }: Partial<EndpointConfig> & { readonly proxies?: number } = {},
  ) {
    const engines = await startAll(...Array.from({ length: shards }, () => startEngine()));
    const started = await startAll(...Array.from({ length: proxies }, () => startProxy()));
    const database = new Reshaped(started, engines, more);
    try {
      await Promise.all(started.map((_, at) => database.configure(at)));
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
    return database;
  }

  /** Where the proxy at this place accepts clients. */
  listen(proxy: number): Address {
    return this.#endpoint(proxy).listen;
  }

  /** A client of the proxy at this place. */
  client(proxy = 0): Promise<RawClient> {
    return RawClient.connect(this.listen(proxy));
  }

  /** Gives the proxy at this place the configuration of now. */
  async configure(proxy: number): Promise<void> {
    const reply = await done(
      this.proxies[proxy]?.send({ op: "configure", endpoints: [this.#endpoint(proxy)] }) ?? missing(),
    );
    if (reply.op === "configure" && reply.refused.length > 0) throw new Error("the configuration is refused");
  }

  /**
   * Gives the database so many shards, or those of these texts, in the order that the product uses; the longest time for which clients were held, in
   * milliseconds. A shard whose slots stay is kept.
   */
  async reshape(to: number | readonly string[], { absent = [], whileHeld }: Reshape = {}): Promise<number> {
    const { shards, moved } = await this.#beginMove(wantedShards(to));
    const { sources } = moved;
    const name = { bdb: 1, tableEpoch: this.tableEpoch + 1 };
    const present = this.proxies.filter((_, at) => !absent.includes(at));
    await moved.following();
    await Promise.all(present.map((proxy) => done(proxy.send({ op: "prepare-table", ...name, shards }))));
    await Promise.all(
      present.map((proxy) => done(proxy.send({ op: "hold-table", ...name, drainMs: 10_000, holdMs: 60_000 }))),
    );
    await whileHeld?.();
    await moved.finish();
    await Promise.all(sources.map((source) => retire(source)));
    this.tableEpoch++;
    this.engines = shards.map(({ primary }) => this.#engineAt(primary));
    this.endpoints = this.endpoints.map((endpoint) => ({ ...endpoint, shards, tableEpoch: this.tableEpoch }));
    const released = await Promise.all(
      present.map((proxy) => done(proxy.send({ op: "release-table", ...name, shards }))),
    );
    await Promise.all(absent.map((proxy) => this.configure(proxy)));
    return Math.max(...released.map((reply) => ("heldMs" in reply ? reply.heldMs : 0)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#all.map((one) => one[Symbol.asyncDispose]()));
    for (const proxy of this.proxies) await proxy.stop();
  }

  #endpoint(proxy: number): EndpointConfig {
    const endpoint = this.endpoints[proxy];
    if (endpoint === undefined) throw new Error(`there is no proxy at place ${proxy}`);
    return endpoint;
  }

  async #beginMove(wanted: readonly SizedShard[]) {
    const served = this.#endpoint(0).shards;
    const isWanted = (shard: EndpointShard): boolean => wanted.some((one) => isSameTable([one], [shard]));
    const { kept = [], replaced = [] } = Object.groupBy(served, (shard) => (isWanted(shard) ? "kept" : "replaced"));
    const fresh = wanted.filter((one) => !kept.some((shard) => isSameTable([one], [shard])));
    const [before, after] = [replaced.map(slotsOf), fresh.map(slotsOf)];
    const sources = replaced.map(({ primary }) => this.#engineAt(primary));
    const moved = await MovedShards.begin(sources, { targets: fresh.length, slots: { before, after } });
    this.#all.push(moved);
    this.#targets.push(...moved.targets);
    return { moved, shards: inOrder([...kept, ...this.#shardsAt(moved.targets, after)]) };
  }

  #engineAt(place: Address | undefined): TestEngine {
    const found = this.#targets.find(({ host, port }) => host === place?.host && port === place.port);
    if (found === undefined) throw new Error("no engine is there");
    return found;
  }

  /** Shards of ids that were never used, at these engines, with these slots. */
  #shardsAt(engines: readonly TestEngine[], slots: MovedSlots["after"]): readonly EndpointShard[] {
    return engines.map((engine, at) => ({
      id: this.#nextShard++,
      epoch: 1,
      primary: addressOf(engine),
      ...(engines.length === 1 ? {} : { slots: slots[at] ?? [] }),
    }));
  }
}

/** Makes a former primary a replica of an address at which nothing listens: it keeps its data, and refuses reads and writes. */
async function retire(engine: TestEngine): Promise<void> {
  await engine.call("CONFIG", "SET", "replica-serve-stale-data", "no");
  await engine.call("REPLICAOF", "127.0.0.1", 1);
  await engine.call("CLIENT", "UNPAUSE");
}

function missing(): never {
  throw new Error("there is no such proxy");
}
