import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import { LONG_AGO } from "../../../core/base/instant.ts";
import type { Instant } from "../../../core/base/instant.ts";
import type { Log } from "../../../core/base/log.ts";
import type { EndpointConfig, ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { Epochs } from "./epochs.ts";
import { faults } from "../faults.ts";
import { runProxyChild } from "./proxy-child.ts";

/** The endpoints of this node. */
export interface NodeProxy {
  /** The whole wanted state; resolves once the proxy has it. Idempotent: says nothing when it has it already. */
  want(endpoints: readonly EndpointConfig[], drained: boolean): Promise<void>;
  /** Lets the proxy acknowledge until then, also one that is started again. */
  grant(until: Instant): void;
  /** Passes on what the leader orders; AGENT_PROXY_GONE while the proxy is not up. */
  send(command: ProxyCommand): Promise<ProxyReply>;
  /** The proxy runs, has the endpoints that were wanted last, and takes clients. */
  takesClients(): boolean;
  stop(): Promise<void>;
}

export interface NodeProxyOptions {
  readonly args: readonly string[];
  readonly epochs: Epochs;
  readonly clock: Clock;
  readonly log: Log;
  /** A proxy has started and knows nothing yet: `want` is to be called. */
  readonly onReady: () => void;
}

/** How long clients get to end their conversations when the leader has not said otherwise, in milliseconds. */
const DRAIN_MS = 5_000;

/** Runs the proxy of this node and remembers what it was told. */
export function startNodeProxy(options: NodeProxyOptions): NodeProxy {
  let configured = "";
  let drained = false;
  let granted = LONG_AGO;
  const child = runProxyChild({
    ...options,
    onReady: () => {
      configured = "";
      drained = false;
      tellLease();
      options.onReady();
    },
  });

  const tellLease = (): void => {
    if (!child.ready() || granted === LONG_AGO) return;
    // a proxy that ends meanwhile passes nothing on, and the next one is told again
    child.send({ op: "lease", until: granted }).catch(() => undefined);
  };
  const send = async (command: ProxyCommand): Promise<ProxyReply> => {
    const reply = await child.send(command);
    if (reply.ok && reply.op === "drain") drained = true;
    if (reply.ok && reply.op === "undrain") drained = false;
    return reply;
  };
  const insist = async (command: ProxyCommand): Promise<void> => {
    const reply = await send(command);
    if (!reply.ok) throw new Fault(faults.proxyRefused, `${command.op}: ${reply.message}`, { code: reply.code });
  };

  return {
    send,
    grant: (until) => {
      granted = until;
      tellLease();
    },
    takesClients: () => child.ready() && configured !== "" && !drained,
    async want(endpoints, wantDrained) {
      if (!child.ready()) return; // onReady asks again
      const admitted = await options.epochs.admit(endpoints);
      const wanted = JSON.stringify(admitted);
      if (wanted !== configured) {
        await insist({ op: "configure", endpoints: admitted });
        configured = wanted;
      }
      if (wantDrained !== drained)
        await insist(wantDrained ? { op: "drain", deadlineMs: DRAIN_MS } : { op: "undrain" });
    },
    stop: () => child.stop(),
  };
}
