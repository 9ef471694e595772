import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import type { Place } from "../upstream/upstream.ts";

/** Who a client is, and where it is: what the engine would keep for a connection. */
export interface Identity {
  readonly id: number;
  readonly address: string;
  name: Buffer;
  authenticated: boolean;
  /** A user of the engine other than `default`: its rights are the engine's business, so it gets a connection of its own. */
  user: { readonly name: Buffer; readonly password: Buffer } | undefined;
  place: Place;
}

/** Where every client begins. */
export const MAIN_PLACE: Place = { protocol: 2, database: 0 };

/** A client that has just connected. */
export function identityOf(
  { remoteAddress = "", remotePort = 0 }: Socket,
  id: number,
  authenticated: boolean,
): Identity {
  const address = `${remoteAddress}:${remotePort}`;
  return { id, address, name: Buffer.alloc(0), authenticated, user: undefined, place: MAIN_PLACE };
}

/** Compares in a time that tells nothing about where the two differ. */
export function isPassword(given: Buffer, wanted: string): boolean {
  const digest = (bytes: Buffer | string): Buffer => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
