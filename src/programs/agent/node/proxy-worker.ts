import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import { Fault } from "#kit/base/fault";
import { LONG_AGO } from "../../../core/planner/node/grant.ts";
import type { EndpointConfig, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { EarlierCounts } from "./earlier-counts.ts";
import { runProxyChild } from "./proxy-child.ts";
import type { ProxyChild, ProxyChildOptions } from "./proxy-child.ts";

/** The configuration that a worker is brought to. */
export interface WorkerConfiguration {
  readonly endpoints: readonly EndpointConfig[];
  /** What it shows to engines; absent while the node has nothing to show. */
  readonly engineCertificate?: EngineCertificate;
}

/** What a worker shows to engines, and what its endpoints show to clients. */
export interface ShownByProxy {
  readonly engines: readonly EngineCertificate[];
  readonly endpoints: readonly EndpointCertificate[];
}

/** How long clients have to end their transactions when the leader has not set a time, in milliseconds. */
const DRAIN_MS = 5_000;

const NOTHING: ShownByProxy = { engines: [], endpoints: [] };

/** One proxy process of the node, started again when it ends, and what was applied to it. */
export class ProxyWorker {
  readonly #child: ProxyChild;
  #configured = "";
  #shown = NOTHING;
  #drained = false;
  #granted = LONG_AGO;
  readonly #earlier = new EarlierCounts();

  constructor({ onReady, ...options }: ProxyChildOptions) {
    this.#child = runProxyChild({
      ...options,
      onReady: () => {
        this.#earlier.next();
        this.#configured = "";
        this.#shown = NOTHING;
        this.#drained = false;
        this.#sendGrant();
        onReady();
      },
    });
  }

  /** It runs; it may have no endpoints yet. */
  get isUp(): boolean {
    return this.#child.ready();
  }

  /** What it shows now; nothing before it was configured. */
  get shown(): ShownByProxy {
    return this.isUp ? this.#shown : NOTHING;
  }

  /** It runs, has the endpoints that were applied last, and accepts clients. */
  get acceptsClients(): boolean {
    return this.isUp && this.#configured !== "" && !this.#drained;
  }

  /**
   * Brings the worker to exactly this configuration. Idempotent: sends nothing to a worker that has it or does not run; a worker that starts
   * asks again.
   */
  async apply(configuration: WorkerConfiguration, shallDrain: boolean): Promise<void> {
    if (!this.isUp) return;
    // one that starts here would let in clients that it ends a moment later
    if (this.#configured === "" && shallDrain) await this.#drainOrUndrain(shallDrain);
    const wanted = JSON.stringify(configuration);
    if (wanted !== this.#configured) {
      await this.#sendOrThrow({ op: "configure", ...configuration });
      const { endpoints, engineCertificate } = configuration;
      this.#earlier.keep(endpoints);
      this.#configured = wanted;
      this.#shown = {
        engines: engineCertificate === undefined ? [] : [engineCertificate],
        endpoints: endpoints.flatMap(({ certificate }) => certificate ?? []),
      };
    }
    await this.#drainOrUndrain(shallDrain);
  }

  /** Lets it acknowledge writes until then (milliseconds of uptime), also when it is started again. */
  grant(untilMs: number): void {
    this.#granted = untilMs;
    this.#sendGrant();
  }

  /** Passes on a command; AGENT_PROXY_GONE while it does not run, or when it ends before it answers. */
  async send(command: ProxyCommand): Promise<ProxyReply> {
    const reply = await this.#child.send(command);
    if (reply.ok && reply.op === "drain") this.#drained = true;
    if (reply.ok && reply.op === "undrain") this.#drained = false;
    if (reply.ok && reply.op === "stats") return { ...reply, endpoints: this.#earlier.with(reply.endpoints) };
    return reply;
  }

  /** What it has counted so far, while it does not run. */
  counted(): ProxyReply {
    this.#earlier.next();
    return { ok: true, op: "stats", endpoints: this.#earlier.with([]) };
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  async #drainOrUndrain(shallDrain: boolean): Promise<void> {
    if (shallDrain === this.#drained) return;
    await this.#sendOrThrow(shallDrain ? { op: "drain", deadlineMs: DRAIN_MS } : { op: "undrain" });
  }

  #sendGrant(): void {
    if (!this.isUp || this.#granted === LONG_AGO) return;
    // one that ends meanwhile acknowledges nothing, and the next one gets the grant again
    this.#child.send({ op: "lease", untilMs: this.#granted }).catch(() => undefined);
  }

  async #sendOrThrow(command: ProxyCommand): Promise<void> {
    const reply = await this.send(command);
    if (!reply.ok) throw new Fault(faults.proxyRefused, `${command.op}: ${reply.message}`, { code: reply.code });
  }
}
