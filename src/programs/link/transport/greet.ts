import type { TLSSocket } from "node:tls";
import { startPatience } from "#kit/timing/patience";
import type { LinkCertificate, LinkedSite } from "../../../ports/management/link-control.ts";
import { LinkConnection } from "./connection.ts";
import { commonFormat, encodeGreeting, LINK_FORMATS, readGreeting, type Greeting } from "./messages.ts";
import { dialLink } from "./trust.ts";

/** A connection to another link, and what that has said first. */
export interface Greeted {
  readonly connection: LinkConnection;
  readonly greeting: Greeting;
}

/** What a site says of itself when it connects; what links can do is said for it. */
export type Introduction = Omit<
  Greeting,
  "formats" | "compresses" | "digests" | "closeDigests" | "givesOwn" | "relayed"
>;

/** A link that does not greet within this time is given up, in milliseconds. */
const GREETING_MS = 5_000;
/** What links of this release can do. */
const ABLE = { compresses: true, digests: true, closeDigests: true, givesOwn: true };

/** Connects to another site and says that; rejects when that does not answer as a link does. */
export async function greet(
  remote: LinkedSite,
  own: LinkCertificate,
  introduction: Introduction,
  signal: AbortSignal,
): Promise<Greeted> {
  const socket = await dialLink(remote.address, own, remote, signal);
  try {
    socket.write(encodeGreeting({ ...introduction, formats: [...LINK_FORMATS], ...ABLE }));
    const greeted = await greetedBy(socket);
    if (greeted.greeting.compresses === true) greeted.connection.compress();
    return greeted;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Answers the end that has connected: in a format that both speak, and compressed from here on when that one can be; LINK_UNKNOWN_FORMAT when there is no such format. */
export async function answerGreeting({ connection, greeting }: Greeted, introduction: Introduction): Promise<void> {
  const compresses = greeting.compresses === true;
  const { digests, closeDigests, givesOwn } = ABLE;
  const able = compresses ? ABLE : { digests, closeDigests, givesOwn };
  const answer = { ...introduction, formats: [commonFormat(greeting)], ...able };
  await connection.send(encodeGreeting(answer));
  if (compresses) connection.compress();
}

/** What the other end says first; it is cut when it says nothing for five seconds. */
export async function greetedBy(socket: TLSSocket): Promise<Greeted> {
  const connection = new LinkConnection(socket);
  const endWait = startPatience(GREETING_MS, () => socket.destroy());
  try {
    const first = await connection.frames.next();
    return { connection, greeting: readGreeting(first.done === true ? undefined : first.value) };
  } finally {
    endWait();
  }
}
