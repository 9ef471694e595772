import { pipeline } from "node:stream/promises";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import type { Visitor } from "./listener.ts";
import { encodeGreeting } from "./messages.ts";
import { dialLink } from "./trust.ts";

/** Passes the visitor on to the node with the primary, in both directions, until one end closes. */
export async function relay(
  { connection, greeting }: Visitor,
  to: Address,
  own: LinkCertificate,
  signal: AbortSignal,
): Promise<void> {
  const further = await dialLink(to, own, own, signal);
  further.write(encodeGreeting({ ...greeting, relayed: true }));
  try {
    await Promise.race([pipeline(connection.passedOn(), further), pipeline(further, connection.socket)]);
  } finally {
    further.destroy();
    connection.destroy();
  }
}
