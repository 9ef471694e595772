import { PORTS } from "../../../core/api/names.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import { managementClient } from "../../../ports/management/client.ts";
import type { ManagementClient } from "../../../ports/management/client.ts";
import type { ProxyCommand, ProxyReply } from "../../../ports/management/proxy-control.ts";
import type { LocalInstance, ReplyOf, RequestOf, RouteName } from "../../../ports/management/routes.ts";

/** The agents of the other nodes, one by one. */
export interface Peers {
  /** What runs there; undefined when the agent does not answer. */
  localInstances(node: number): Promise<readonly LocalInstance[] | undefined>;
  /** The shared object of a module; throws the client's Fault when the node cannot be asked or has none. */
  module(node: number, uid: string): Promise<Uint8Array>;
  /** Orders to the proxy of a node; throws the client's Fault when its agent cannot be asked. */
  proxy(node: number, command: ProxyCommand): Promise<ProxyReply>;
  /** Carries a client's write to the leader; throws the client's Fault, with the leader's own answer in its details. */
  forward<N extends RouteName>(node: number, route: N, request: RequestOf<N>): Promise<ReplyOf<N>>;
  /** Whether the node promises now to take nothing over from this one for the length of a lease. */
  vouches(node: number): Promise<boolean>;
  /** Whether the agent answers at all; an answer counts for half a second. */
  answers(node: number): Promise<boolean>;
  /** Waits for nobody: a peer that is gone never answers. */
  close(): Promise<void>;
}

export interface PeersOptions {
  /** uid of this node. */
  readonly self: number;
  readonly addressOf: (node: number) => string | undefined;
  readonly serverName: string;
  readonly clock: Clock;
  /** Asked at each call; a change makes new connections. */
  readonly trust: () => { readonly ca: string; readonly username: string; readonly password: string };
}

const TIMEOUT_MS = 1_500;
const HEARD_MS = 500;
const FORWARD_TIMEOUT_MS = 10_000;
/** An order to a proxy waits for what it orders, at most this long. */
const ORDER_TIMEOUT_MS = 60_000;

/** Clients for the peers, made when first needed. */
export function connectPeers(options: PeersOptions): Peers {
  const clients = new Map<string, { readonly trust: string; readonly client: ManagementClient }>();
  const heard = new Map<number, { readonly at: number; readonly answers: Promise<boolean> }>();
  const clientOf = (node: number, timeoutMs: number): ManagementClient => {
    const trust = options.trust();
    const mark = JSON.stringify(trust);
    const key = `${node}/${timeoutMs}`;
    const known = clients.get(key);
    if (known?.trust === mark) return known.client;
    void known?.client.close();
    const client = managementClient({
      ...trust,
      timeoutMs,
      port: PORTS.management,
      serverName: options.serverName,
      forwardedBy: options.self,
      addresses: () => [options.addressOf(node)].filter((address) => address !== undefined),
    });
    clients.set(key, { trust: mark, client });
    return client;
  };
  return {
    localInstances: (node) => clientOf(node, TIMEOUT_MS).call("localInstances").catch(silence),
    module: (node, uid) => clientOf(node, ORDER_TIMEOUT_MS).call("localModule", { params: { uid } }),
    proxy: (node, body) =>
      clientOf(node, ORDER_TIMEOUT_MS).call("localProxy", { body }, { signal: AbortSignal.timeout(patienceOf(body)) }),
    forward: (node, route, request) => clientOf(node, FORWARD_TIMEOUT_MS).call(route, request),
    vouches: async (node) => {
      const body = { node: options.self };
      return (await clientOf(node, TIMEOUT_MS).call("localVouch", { body }).catch(silence)) !== undefined;
    },
    answers: (node) => {
      const now = options.clock.now().getTime();
      const known = heard.get(node);
      if (known !== undefined && now - known.at < HEARD_MS) return known.answers;
      const instances = clientOf(node, TIMEOUT_MS).call("localInstances").catch(silence);
      const answers = instances.then((told) => told !== undefined);
      heard.set(node, { at: now, answers });
      return answers;
    },
    close: async () => {
      await Promise.all([...clients.values()].map(({ client }) => client.destroy()));
    },
  };
}

/** What is ordered may take its own time; the answer comes soon after. */
function patienceOf(command: ProxyCommand): number {
  const own = command.op === "drain" ? command.deadlineMs : command.op === "hold" ? command.drainMs : 0;
  return own + 3_000;
}

/** A peer that cannot be asked has said nothing: the caller draws its own conclusion. */
function silence(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error;
  return undefined;
}
