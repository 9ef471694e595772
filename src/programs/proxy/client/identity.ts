import type { Socket } from "node:net";
import { DEFAULT_SETTINGS } from "../upstream/connection-settings.ts";
import type { ConnectionSettings } from "../upstream/connection-settings.ts";

/** One client, with what an engine would keep for its connection. */
export interface ClientIdentity {
  readonly id: number;
  readonly address: string;
  name: Buffer;
  authenticated: boolean;
  /** An engine user other than `default`. The engine enforces its rights, so the client gets a connection of its own. */
  user: { readonly name: Buffer; readonly password: Buffer } | undefined;
  settings: ConnectionSettings;
}

/** A client that has just connected. */
export function identityOf(
  { remoteAddress = "", remotePort = 0 }: Socket,
  id: number,
  authenticated: boolean,
): ClientIdentity {
  const address = `${remoteAddress}:${remotePort}`;
  return { id, address, name: Buffer.alloc(0), authenticated, user: undefined, settings: DEFAULT_SETTINGS };
}
