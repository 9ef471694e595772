import type { TLSSocket } from "node:tls";
import type { Clock } from "../../../core/base/clock.ts";
import type { LinkCertificate, LinkedSite } from "../../../ports/management/link-control.ts";
import { readFrames, type Frame } from "./frames.ts";
import { encodeMessage, readGreeting, type Greeting } from "./messages.ts";
import { dialLink } from "./trust.ts";

/** A connection to another link, and what that has said first. */
export interface Greeted {
  readonly socket: TLSSocket;
  readonly frames: AsyncGenerator<Frame>;
  readonly greeting: Greeting;
}

/** A link that does not greet within this time is given up, in milliseconds. */
const GREETING_MS = 5_000;

/** Connects to another site and says that; rejects when that does not answer as a link does. */
export async function greet(
  remote: LinkedSite,
  own: LinkCertificate,
  greeting: Greeting,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Greeted> {
  const socket = await dialLink(remote.address, own, remote, signal);
  try {
    socket.write(encodeMessage("greeting", greeting));
    return await greetedBy(socket, clock);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** What the other end says first; it is cut when it says nothing for five seconds. */
export async function greetedBy(socket: TLSSocket, clock: Clock): Promise<Greeted> {
  const frames = readFrames(socket);
  const greeted = new AbortController();
  // aborted below: it has greeted
  void clock.sleep(GREETING_MS, greeted.signal).then(
    () => socket.destroy(),
    () => undefined,
  );
  try {
    const first = await frames.next();
    return { socket, frames, greeting: readGreeting(first.done === true ? undefined : first.value) };
  } finally {
    greeted.abort();
  }
}
