import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import type { EndpointConfig, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { CommandedShards } from "./commanded-shards.ts";
import type { Epochs } from "./epochs.ts";
import { NOT_SERVED } from "./earlier-counts.ts";
import type { ProxyChildOptions } from "./proxy-child.ts";
import { ProxyWorker, type ShownByProxy } from "./proxy-worker.ts";
import { askOtherProxies, questionAboutClients, questionAboutScripts, type OtherProxies } from "./other-proxies.ts";
import { replyOfAll } from "./worker-replies.ts";

export type { ShownByProxy } from "./proxy-worker.ts";

export interface NodeProxyOptions {
  /** uid of this node. */
  readonly node: number;
  /** How many processes share the clients of each endpoint. */
  readonly workers: number;
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly args: readonly string[];
  readonly env: ProxyChildOptions["env"];
  readonly epochs: Epochs;
  /** What the proxy shows to engines; undefined while the node has nothing to show. */
  readonly certificate: () => EngineCertificate | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** A worker has started and has no endpoints yet: call `apply`. */
  readonly onReady: () => void;
  /** Asks the proxies of other nodes what a worker asks; it does not reject. */
  readonly askNodes: OtherProxies["askNodes"];
}

/**
 * The endpoints of this node: workers that share them, and are one proxy to everything else. A command has succeeded when every worker has
 * confirmed it (docs/decisions/0039).
 */
export class NodeProxy {
  readonly #node: number;
  readonly #epochs: Epochs;
  readonly #certificate: () => EngineCertificate | undefined;
  readonly #setParameters = Promise.withResolvers<ProxyChildOptions["setParameters"]>();
  readonly #workers: readonly ProxyWorker[];
  readonly #commanded = new CommandedShards();

  constructor({ node, workers, epochs, certificate, askNodes, env, ...options }: NodeProxyOptions) {
    this.#node = node;
    this.#epochs = epochs;
    this.#certificate = certificate;
    this.#workers = Array.from({ length: workers }, (_, index) => {
      const worker: ProxyWorker = new ProxyWorker({
        ...options,
        env: workers === 1 ? env : { ...env, PROXY_WORKER: `${index + 1}/${workers}` },
        askOthers: (question) => askOtherProxies(this.#others(worker, askNodes), questionAboutClients(question)),
        askScripts: (request) => askOtherProxies(this.#others(worker, askNodes), questionAboutScripts(request)),
        setParameters: async (question) => (await this.#setParameters.promise)(question),
      });
      return worker;
    });
  }

  /** Brings every worker that runs to exactly these endpoints. Idempotent: sends nothing to one that has them already. */
  async apply(endpoints: readonly EndpointConfig[], shallDrain: boolean): Promise<void> {
    if (!this.#workers.some(({ isUp }) => isUp)) return; // onReady asks for it again
    const engineCertificate = this.#certificate();
    const configuration = {
      endpoints: await this.#epochs.admit(this.#commanded.over(endpoints)),
      ...(engineCertificate === undefined ? {} : { engineCertificate }),
    };
    await allOf(this.#workers.map((worker) => worker.apply(configuration, shallDrain)));
  }

  /** From now on `set` keeps what clients set by CONFIG SET; it does not reject. */
  onParameters(set: ProxyChildOptions["setParameters"]): void {
    this.#setParameters.resolve(set);
  }

  /** What the proxy shows now; nothing before it was configured. */
  shown(): ShownByProxy {
    const shown = this.#workers.map((worker) => worker.shown);
    return {
      engines: shown.flatMap(({ engines }) => engines),
      endpoints: shown.flatMap(({ endpoints }) => endpoints),
    };
  }

  /** The highest epoch that this node has served for a shard; 0 when it has served none. */
  highestEpoch(bdb: number, shard: number): number {
    return this.#epochs.highest(bdb, shard);
  }

  /** Lets the proxy acknowledge writes until then (milliseconds of uptime), also a worker that is started again. */
  grant(untilMs: number): void {
    for (const worker of this.#workers) worker.grant(untilMs);
  }

  /**
   * Passes on a command to every worker, at once. AGENT_PROXY_GONE when a worker does not run, or ends before it answers: the caller then takes
   * back what the others have done, or repeats it. A worker that does not run has no clients, and nothing to count.
   */
  async send(command: ProxyCommand): Promise<ProxyReply> {
    this.#commanded.note(command);
    const concernsClients = command.op === "clients" || command.op === "stats";
    const up = this.#workers.filter(({ isUp }) => isUp);
    const meant = concernsClients && up.length > 0 ? up : this.#workers;
    const replies = await allOf(meant.map((worker) => worker.send(command)));
    if (command.op !== "stats") return replyOfAll(replies);
    const down = this.#workers.filter((worker) => !meant.includes(worker));
    const reply = replyOfAll([...replies, ...down.map((worker) => worker.counted())]);
    if (!reply.ok || reply.op !== "stats") return reply;
    return { ...reply, endpoints: reply.endpoints.filter(({ epoch }) => epoch !== NOT_SERVED) };
  }

  /** A worker has the endpoints that were applied last, and accepts clients. */
  acceptsClients(): boolean {
    return this.#workers.some((worker) => worker.acceptsClients);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }

  /** All proxies but that worker: those of this node that run, and the way to other nodes. */
  #others(asking: ProxyWorker, askNodes: OtherProxies["askNodes"]): OtherProxies {
    return { node: this.#node, siblings: this.#workers.filter((worker) => worker !== asking && worker.isUp), askNodes };
  }
}

/** What all of them resolve to; waits for the slowest also when another one has failed. */
async function allOf<T>(pending: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(pending);
  return Promise.all(pending);
}
