import type { EndpointConfig } from "../../../src/ports/management/proxy-control.ts";
import { enginePair, startEngine } from "./engine.ts";
import type { TestEngine, TestEngineOptions } from "./engine.ts";
import { addressOf, done, endpointFor, startProxy } from "./proxy.ts";
import type { TestProxy } from "./proxy.ts";
import { RawClient } from "./raw-client.ts";
import { startAll } from "./start-all.ts";
import { demoteBeside, promoteBeside, switchOver } from "./switchover.ts";

/** A database of two engines, of different versions where there are two, behind a proxy. Its primary changes from one engine to the other. */
export class Served implements AsyncDisposable {
  readonly proxy: TestProxy;
  endpoint: EndpointConfig;
  primary: TestEngine;
  replica: TestEngine;
  epoch = 1;

  private constructor(proxy: TestProxy, endpoint: EndpointConfig, primary: TestEngine, replica: TestEngine) {
    this.proxy = proxy;
    this.endpoint = endpoint;
    this.primary = primary;
    this.replica = replica;
  }

  static async start(more: Partial<EndpointConfig> = {}, options: TestEngineOptions = {}): Promise<Served> {
    const [older, newer] = enginePair();
    const [primary, replica, proxy] = await startAll(
      startEngine({ ...options, engine: older }),
      startEngine({ ...options, engine: newer }),
      startProxy(),
    );
    const served = new Served(proxy, endpointFor(primary, more), primary, replica);
    try {
      await replica.follow(primary);
      await done(proxy.send({ op: "configure", endpoints: [served.endpoint] }));
    } catch (error) {
      await served[Symbol.asyncDispose]();
      throw error;
    }
    return served;
  }

  client(): Promise<RawClient> {
    return RawClient.connect(this.endpoint.listen);
  }

  clients(count: number): Promise<RawClient[]> {
    return Promise.all(Array.from({ length: count }, () => this.client()));
  }

  /** A whole switchover, in the order that the product uses. */
  async move(): Promise<void> {
    await switchOver([this.proxy], ++this.epoch, this.primary, this.replica);
    this.#swap();
  }

  prepare() {
    return this.proxy.send({ op: "prepare", bdb: 1, epoch: this.epoch + 1, target: addressOf(this.replica) });
  }

  hold({ drainMs = 5_000, holdMs = 60_000 } = {}) {
    return this.proxy.send({ op: "hold", bdb: 1, epoch: this.epoch + 1, drainMs, holdMs });
  }

  abort() {
    return this.proxy.send({ op: "abort", bdb: 1, epoch: this.epoch + 1 });
  }

  /** Changes the roles of the engines without the proxy, whose connections stay. */
  async moveEngines(): Promise<void> {
    await promoteBeside(this.primary, this.replica);
    await demoteBeside(this.primary, this.replica);
    this.#swap();
  }

  /** Releases the proxy to the primary of now. */
  release() {
    return this.proxy.send({ op: "release", bdb: 1, epoch: ++this.epoch, target: addressOf(this.primary) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.primary.stop(), this.replica.stop()]);
    await this.proxy.stop();
  }

  #swap(): void {
    [this.primary, this.replica] = [this.replica, this.primary];
  }
}
