import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import { LONG_AGO } from "../../../core/planner/database/grant.ts";
import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import type { EngineCertificate } from "../../../core/api/engine-certificate.ts";
import type { EndpointConfig, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import type { Epochs } from "./epochs.ts";
import { runProxyChild } from "./proxy-child.ts";
import type { ProxyChild, ProxyChildOptions } from "./proxy-child.ts";

export interface NodeProxyOptions {
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly args: readonly string[];
  readonly env: ProxyChildOptions["env"];
  readonly epochs: Epochs;
  /** What the proxy shows to engines; undefined while the node has nothing to show. */
  readonly certificate: () => EngineCertificate | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** A proxy has started and has no endpoints yet: call `apply`. */
  readonly onReady: () => void;
  /** Answers a question of the proxy about the clients of other nodes; it does not reject. */
  readonly askOthers: ProxyChildOptions["askOthers"];
}

/** What a proxy shows to engines, and what its endpoints show to clients. */
export interface ShownByProxy {
  readonly engines: EngineCertificate | undefined;
  readonly endpoints: readonly EndpointCertificate[];
}

/** How long clients have to end their transactions when the leader has not set a time, in milliseconds. */
const DRAIN_MS = 5_000;

/** The endpoints of this node: one proxy process, started again when it ends, and what was applied to it. */
export class NodeProxy {
  readonly #epochs: Epochs;
  readonly #certificate: () => EngineCertificate | undefined;
  readonly #child: ProxyChild;
  #configured = "";
  #shown: ShownByProxy = { engines: undefined, endpoints: [] };
  #drained = false;
  #granted = LONG_AGO;

  constructor({ epochs, certificate, onReady, ...options }: NodeProxyOptions) {
    this.#epochs = epochs;
    this.#certificate = certificate;
    this.#child = runProxyChild({
      ...options,
      onReady: () => {
        this.#configured = "";
        this.#drained = false;
        this.#sendGrant();
        onReady();
      },
    });
  }

  /** Brings the proxy to exactly these endpoints. Idempotent: sends nothing when the proxy has them already. */
  async apply(endpoints: readonly EndpointConfig[], shallDrain: boolean): Promise<void> {
    if (!this.#child.ready()) return; // onReady asks for it again
    const engineCertificate = this.#certificate();
    const configuration = {
      endpoints: await this.#epochs.admit(endpoints),
      ...(engineCertificate === undefined ? {} : { engineCertificate }),
    };
    const wanted = JSON.stringify(configuration);
    if (wanted !== this.#configured) {
      await this.#sendOrThrow({ op: "configure", ...configuration });
      this.#configured = wanted;
      this.#shown = {
        engines: engineCertificate,
        endpoints: endpoints.flatMap(({ certificate }) => certificate ?? []),
      };
    }
    if (shallDrain !== this.#drained)
      await this.#sendOrThrow(shallDrain ? { op: "drain", deadlineMs: DRAIN_MS } : { op: "undrain" });
  }

  /** What the proxy shows now; nothing before it was configured. */
  shown(): ShownByProxy {
    return this.#configured === "" ? { engines: undefined, endpoints: [] } : this.#shown;
  }

  /** The highest epoch that this node has served for a database; 0 when it has served none. */
  highestEpoch(bdb: number): number {
    return this.#epochs.highest(bdb);
  }

  /** Lets the proxy acknowledge writes until then (milliseconds of uptime), also one that is started again. */
  grant(untilMs: number): void {
    this.#granted = untilMs;
    this.#sendGrant();
  }

  /** Passes on a command of the leader; AGENT_PROXY_GONE while the proxy does not run. */
  async send(command: ProxyCommand): Promise<ProxyReply> {
    const reply = await this.#child.send(command);
    if (reply.ok && reply.op === "drain") this.#drained = true;
    if (reply.ok && reply.op === "undrain") this.#drained = false;
    return reply;
  }

  /** The proxy runs, has the endpoints that were applied last, and accepts clients. */
  acceptsClients(): boolean {
    return this.#child.ready() && this.#configured !== "" && !this.#drained;
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  #sendGrant(): void {
    if (!this.#child.ready() || this.#granted === LONG_AGO) return;
    // a proxy that ends meanwhile acknowledges nothing, and the next one gets the grant again
    this.#child.send({ op: "lease", untilMs: this.#granted }).catch(() => undefined);
  }

  async #sendOrThrow(command: ProxyCommand): Promise<void> {
    const reply = await this.send(command);
    if (!reply.ok) throw new Fault(faults.proxyRefused, `${command.op}: ${reply.message}`, { code: reply.code });
  }
}
