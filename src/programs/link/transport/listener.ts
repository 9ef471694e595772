import type { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import { limitedRate } from "#kit/base/limited-rate";
import type { Log } from "#kit/base/log";
import type { LinkCertificate } from "../../../ports/management/link-control.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { faults } from "../faults.ts";
import { greetedBy, type Greeted } from "./greet.ts";
import { encodeRefusal } from "./messages.ts";
import { Strangers } from "./strangers.ts";
import { linkServer, serverContext } from "./trust.ts";

/** A link that has connected and said who it is. */
export type Visitor = Greeted;

/** What becomes of a visitor. */
export interface Reception {
  /** Throws the Fault with which the visitor is sent away, unless the visitor has proved its identity. */
  readonly check: (visitor: Visitor) => void;
  readonly visit: (visitor: Visitor) => Promise<void>;
}

/** Visitors that connect in vain again and again do not fill the log: one line in this time, in milliseconds. */
const SAID_MS = 1_000;

/** How long a visitor that is sent away may take to read why and to close its end, in milliseconds. */
const PARTING_MS = 1_000;

/** Where other links connect. */
export class LinkListener {
  readonly #reception: Reception;
  readonly #clock: Clock;
  readonly #sayRefused: (from: string, error: unknown) => void;
  readonly #sockets = new Set<TLSSocket>();
  readonly #strangers = new Strangers();
  #server: Server | undefined;
  #at = "";

  constructor(reception: Reception, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#reception = reception;
    this.#clock = clock;
    this.#sayRefused = limitedRate(clock, SAID_MS, (from, error) => {
      log.warn("a link has failed to connect", { from, why: messageOf(error) });
    });
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
    // before the listener that would begin a handshake
    server.prependListener("connection", (socket: Socket) => {
      this.#strangers.admit(socket);
    });
    server.on("tlsClientError", (error, socket) => {
      this.#sayRefused(socket.remoteAddress ?? "", error);
      // Node.js leaves one open whose handshake takes too long
      socket.destroy();
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

  /** How many connections from an address have made their handshake and are open. */
  connections(from: string): number {
    return [...this.#sockets].filter(({ remoteAddress }) => remoteAddress === from).length;
  }

  close(): void {
    this.#server?.close();
    this.#server = undefined;
    this.#strangers.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #greet(socket: TLSSocket): Promise<void> {
    const { remoteAddress = "" } = socket;
    socket.on("error", () => undefined); // who reads sees that it has ended
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    let refuse = (refusal: Buffer): void => void socket.end(refusal);
    try {
      const visitor = await greetedBy(socket);
      refuse = (refusal) => visitor.connection.end(refusal);
      // until here it is a stranger, whatever it has said of itself
      this.#reception.check(visitor);
      this.#strangers.know(socket);
      await this.#reception.visit(visitor);
    } catch (error) {
      this.#sayRefused(remoteAddress, error);
      const message = error instanceof Fault ? error.message : "The link here has failed.";
      refuse(encodeRefusal(message));
      await this.#part(socket);
    }
  }

  /** Cuts a visitor that is sent away and keeps its end open. */
  async #part(socket: TLSSocket): Promise<void> {
    const closed = new AbortController();
    socket.once("close", () => {
      closed.abort();
    });
    if (socket.destroyed) return;
    // aborted: it has closed
    await this.#clock.sleep(PARTING_MS, closed.signal).catch(() => undefined);
    socket.destroy();
  }
}
