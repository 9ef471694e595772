import type { SlotRange } from "../../../src/core/base/slot-range.ts";
import type { EndpointConfig, EndpointShard } from "../../../src/ports/management/proxy-control.ts";
import { startEngine, type TestEngine } from "../engines/engine.ts";
import { addressOf, done, endpointFor, startProxy, type TestProxy } from "../engines/proxy.ts";
import { RawClient } from "../engines/raw-client.ts";
import { startAll } from "../engines/start-all.ts";

const SLOTS = 16_384;

/** The slots of each of so many shards, as even as can be. */
export function evenSlots(shards: number): readonly (readonly SlotRange[])[] {
  const begin = (shard: number): number => Math.floor((shard * SLOTS) / shards);
  return Array.from({ length: shards }, (_, shard) => [{ from: begin(shard), to: begin(shard + 1) - 1 }]);
}

/** A database with a shard at each of these engines, with even slots; the ids are 1, 2, … */
export function shardedEndpoint(engines: readonly TestEngine[], more: Partial<EndpointConfig> = {}): EndpointConfig {
  const slots = evenSlots(engines.length);
  const shards = engines.map((engine, at): EndpointShard => ({
    id: at + 1,
    epoch: 1,
    primary: addressOf(engine),
    ...(slots[at] === undefined ? {} : { slots: slots[at] }),
  }));
  return endpointFor(undefined, { shards, ...more });
}

/** A database of several shards, one engine each, behind a proxy. */
export class Sharded implements AsyncDisposable {
  readonly proxy: TestProxy;
  readonly engines: readonly TestEngine[];
  endpoint: EndpointConfig;

  private constructor(proxy: TestProxy, engines: readonly TestEngine[], endpoint: EndpointConfig) {
    this.proxy = proxy;
    this.engines = engines;
    this.endpoint = endpoint;
  }

  static async start(shards: number, more: Partial<EndpointConfig> = {}, engine?: string): Promise<Sharded> {
    const engines = await startAll(...Array.from({ length: shards }, () => startEngine({ engine })));
    const [proxy] = await startAll(startProxy());
    const sharded = new Sharded(proxy, engines, shardedEndpoint(engines, more));
    try {
      await sharded.configure({});
    } catch (error) {
      await sharded[Symbol.asyncDispose]();
      throw error;
    }
    return sharded;
  }

  /** Gives the endpoint a changed configuration; the numbers of databases whose change is refused. */
  async configure(change: Partial<EndpointConfig>): Promise<readonly number[]> {
    const endpoint = { ...this.endpoint, ...change };
    const reply = await done(this.proxy.send({ op: "configure", endpoints: [endpoint] }));
    const refused = reply.op === "configure" ? reply.refused : [];
    if (refused.length === 0) this.endpoint = endpoint;
    return refused;
  }

  client(): Promise<RawClient> {
    return RawClient.connect(this.endpoint.listen);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.engines.map((engine) => engine.stop()));
    await this.proxy.stop();
  }
}
