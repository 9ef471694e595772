import type { Server, TLSSocket } from "node:tls";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { greetedBy, type Greeted } from "./greet.ts";
import { encodeRefusal } from "./messages.ts";
import { linkServer, serverContext } from "./trust.ts";

/** A link that has connected and said who it is; whether it is, is still to be checked. */
export type Visitor = Greeted;

/** Visitors that have not greeted yet. */
const MOST_STRANGERS = 64;

/** Where other links connect. */
export class Listener {
  readonly #visit: (visitor: Visitor) => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #sockets = new Set<TLSSocket>();
  #strangers = 0;
  #server: Server | undefined;
  #at = "";

  constructor(
    visit: (visitor: Visitor) => Promise<void>,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
  ) {
    this.#visit = visit;
    this.#clock = clock;
    this.#log = log;
  }

  /** Listens there, with that certificate for connections that come; LINK_CANNOT_LISTEN when the port is taken. */
  async listen(at: Address, own: LinkCertificate): Promise<void> {
    const wanted = JSON.stringify(at);
    if (this.#server !== undefined && wanted === this.#at) {
      this.#server.setSecureContext(serverContext(own));
      return;
    }
    this.close();
    const server = linkServer(own, (socket) => void this.#greet(socket));
    server.on("tlsClientError", (error) => {
      this.#log.warn("a link has failed to connect", { why: messageOf(error) });
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error) => {
        reject(new Fault(faults.cannotListen, `${at.host}:${at.port}: ${messageOf(error)}`));
      });
      server.listen(at.port, at.host, resolve);
    });
    this.#server = server;
    this.#at = wanted;
  }

  close(): void {
    this.#server?.close();
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #greet(socket: TLSSocket): Promise<void> {
    socket.on("error", () => undefined); // who reads sees that it has ended
    if (this.#strangers >= MOST_STRANGERS) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    try {
      this.#strangers += 1;
      const visitor = await greetedBy(socket, this.#clock).finally(() => (this.#strangers -= 1));
      await this.#visit(visitor);
    } catch (error) {
      this.#log.warn("a link is sent away", { from: socket.remoteAddress, why: messageOf(error) });
      const message = error instanceof Fault ? error.message : "The link here has failed.";
      socket.end(encodeRefusal(message));
    }
  }
}
