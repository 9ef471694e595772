import type { Socket } from "node:net";
import { DEFAULT_SETTINGS } from "../upstream/connection-settings.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";

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
}

/** A client that has just connected. */
export function identityOf(
  { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 }: Socket,
  id: number,
  authenticated: boolean,
  since: number,
): ClientIdentity {
  return {
    ...{ id, since, authenticated },
    address: `${remoteAddress}:${remotePort}`,
    localAddress: `${localAddress}:${localPort}`,
    name: Buffer.alloc(0),
    library: { name: "", version: "" },
    user: undefined,
    settings: DEFAULT_SETTINGS,
  };
}
