import type { Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { EndpointCertificate } from "../../../core/api/endpoint-certificate.ts";
import type { Clock } from "#kit/base/clock";
import { LIMITS } from "../limits/limits.ts";
import { startTimer } from "../timing/timer.ts";

/** How an endpoint speaks TLS: what it shows, and whether clients must present a certificate, too. */
interface EndpointTls {
  readonly certificate: EndpointCertificate;
  readonly mutual: boolean;
}

/**
 * Takes clients through the TLS handshake. A client costs the memory of a handshake only once it has begun to speak and its turn has come. It is
 * cut when it is not through in time, speaks no TLS, or lacks a certificate that is asked for.
 */
export class Handshakes {
  readonly #clock: Clock;
  readonly #accept: (socket: Socket) => void;
  /** Connected and not through yet, by address and port. */
  readonly #clients = new Map<string, Socket>();
  /** The last one is next: clients that stall on purpose are among those that have waited for longest. */
  readonly #queue: Socket[] = [];
  readonly #running = new Set<Socket>();
  #isNextDue = false;
  #server: Server;

  /** Throws when certificate and key cannot be used together. */
  constructor(tls: EndpointTls, clock: Clock, accept: (socket: Socket) => void) {
    this.#clock = clock;
    this.#accept = accept;
    this.#server = this.#serverFor(tls);
  }

  /** For handshakes that begin from now on. Throws when certificate and key cannot be used together; the former are used then. */
  use(tls: EndpointTls): void {
    this.#server = this.#serverFor(tls);
  }

  begin(client: Socket): void {
    if (this.#clients.size >= LIMITS.clients) {
      client.destroy();
      return;
    }
    const peer = peerOf(client);
    this.#clients.set(peer, client);
    this.#endAfter(LIMITS.handshakeMs, client, peer);
    client.on("error", () => undefined); // a close follows
    client.once("close", () => {
      if (this.#clients.get(peer) === client) this.#clients.delete(peer);
      this.#leave(client);
    });
    client.once("readable", () => {
      this.#queue.push(client);
      this.#next();
    });
  }

  /** Cuts all that are not through. */
  close(): void {
    for (const client of [...this.#clients.values()]) client.destroy();
  }

  /** To begin one takes about a millisecond: each other socket of the process has its turn between two of them. */
  #next(): void {
    if (this.#isNextDue || this.#queue.length === 0 || this.#running.size >= LIMITS.handshakes) return;
    this.#isNextDue = true;
    setImmediate(() => {
      this.#isNextDue = false;
      this.#start();
      this.#next();
    });
  }

  #start(): void {
    let client = this.#queue.pop();
    while (client?.destroyed === true) client = this.#queue.pop();
    if (client === undefined) return;
    this.#running.add(client);
    this.#endAfter(LIMITS.handshakeTurnMs, client, peerOf(client));
    this.#server.emit("connection", client);
  }

  #leave(client: Socket): void {
    if (this.#running.delete(client)) this.#next();
  }

  #endAfter(ms: number, client: Socket, peer: string): void {
    const cancel = startTimer(this.#clock, ms, () => {
      client.off("close", cancel);
      if (this.#clients.get(peer) === client) client.destroy();
    });
    client.once("close", cancel);
  }

  /** A server that listens at no port: connections are handed to it, so that another server can take its place at any time. */
  #serverFor({ certificate: { certificate, key, clientAuthorities }, mutual }: EndpointTls): Server {
    const asked = mutual ? { ca: clientAuthorities, requestCert: true, rejectUnauthorized: true } : {};
    const options = { cert: certificate, key, minVersion: "TLSv1.2", allowHalfOpen: true, ...asked } as const;
    return createServer(options, (socket) => {
      this.#through(socket);
    }).on("tlsClientError", (_, socket) => socket.destroy());
  }

  #through(socket: TLSSocket): void {
    const peer = peerOf(socket);
    const client = this.#clients.get(peer);
    if (client === undefined) return; // it has gone meanwhile
    this.#clients.delete(peer);
    this.#leave(client);
    this.#accept(socket);
  }
}

function peerOf({ remoteAddress = "", remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
