import type { Socket } from "node:net";
import { DEFAULT_SETTINGS } from "../upstream/connection-settings.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";
import type { WorkerNumber } from "../limits/proxy-worker.ts";

/** One client, with what an engine would keep for its connection. */
export interface ClientIdentity {
  readonly id: number;
  readonly address: string;
  /** Where it is connected to. */
  readonly localAddress: string;
  /** When it connected, as uptime in milliseconds. */
  readonly since: number;
  name: Buffer;
  /** What its library says of itself. */
  library: { readonly name: string; readonly version: string };
  authenticated: boolean;
  /** An engine user other than `default`. The engine enforces its rights, so the client gets a connection of its own. */
  user: { readonly name: Buffer; readonly password: Buffer } | undefined;
  settings: ConnectionSettings;
  /** It came to the port for clients of a cluster; undefined: to that for all clients. */
  readonly ofCluster: ClusterMode | undefined;
  /** The command that it sent last, with its subcommand where that is known; empty before the first. */
  lastCommand: string;
  /** When it sent that, as uptime in milliseconds. */
  lastAt: number;
}

/** A client in cluster mode. */
export interface ClusterMode {
  /** READONLY: it reads from replicas. */
  readsReplicas: boolean;
}

/** The client has sent a request. */
export function noteSent(identity: ClientIdentity, command: string, now: number): void {
  identity.lastCommand = command;
  identity.lastAt = now;
}

/** The number of a client: `count` is that at its worker. No other one gives the same, and every library can hold it. */
export function clientId(node: number, { number }: Pick<WorkerNumber, "number">, count: number): number {
  return node * CLIENTS_OF_A_NODE + (number - 1) * CLIENTS_OF_A_WORKER + count;
}

/** The uid of the node that gave a client its number. */
export function nodeOfClient(id: number): number {
  return Math.floor(id / CLIENTS_OF_A_NODE);
}

/** With 8191 nodes it stays below 2^53. */
const CLIENTS_OF_A_NODE = 2 ** 40;
/** Of up to 16 at a node. */
const CLIENTS_OF_A_WORKER = 2 ** 36;

/** Where a client comes from, without its port. */
export function hostOf({ address }: Pick<ClientIdentity, "address">): string {
  return address.slice(0, address.lastIndexOf(":"));
}

/** A client that has just connected, as its endpoint sees it. */
export function clientIdentity(
  socket: Socket,
  connected: Pick<ClientIdentity, "id" | "authenticated" | "since" | "ofCluster">,
): ClientIdentity {
  const { remoteAddress = "", remotePort = 0 } = socket;
  return {
    ...connected,
    address: `${remoteAddress}:${remotePort}`,
    // few are ever asked for it, and the kernel has to be asked
    get localAddress() {
      const { localAddress = "", localPort = 0 } = socket;
      return `${localAddress}:${localPort}`;
    },
    name: Buffer.alloc(0),
    library: { name: "", version: "" },
    user: undefined,
    settings: DEFAULT_SETTINGS,
    lastCommand: "",
    lastAt: connected.since,
  };
}
