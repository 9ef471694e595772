import { createHash, timingSafeEqual } from "node:crypto";
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

/** Compares in a time that tells nothing about where the two differ. */
export function isPassword(given: Buffer, wanted: string): boolean {
  const digest = (bytes: Buffer | string): Buffer => createHash("sha256").update(bytes).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
