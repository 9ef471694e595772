import { pipeline } from "node:stream/promises";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import type { Visitor } from "./listener.ts";
import { encodeFrame } from "./frames.ts";
import { encodeMessage } from "./messages.ts";
import { dialLink } from "./trust.ts";

/** Passes the visitor on to the node with the primary, in both directions, until one end closes. */
export async function relay(
  { socket, frames, greeting }: Visitor,
  to: Address,
  own: LinkCertificate,
  signal: AbortSignal,
): Promise<void> {
  const further = await dialLink(to, own, own, signal);
  further.write(encodeMessage("greeting", { ...greeting, relayed: true }));
  const outwards = async function* (): AsyncGenerator<Buffer> {
    for await (const { kind, body } of frames) yield encodeFrame(kind, body);
  };
  try {
    await Promise.race([pipeline(outwards(), further), pipeline(further, socket)]);
  } finally {
    further.destroy();
    socket.destroy();
  }
}
