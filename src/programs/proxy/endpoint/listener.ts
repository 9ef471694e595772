import { once } from "node:events";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import type { Clock } from "#kit/base/clock";
import { Fault, messageOf } from "#kit/base/fault";
import type { Address, EndpointConfig } from "../../../ports/management/proxy-control.ts";
import { KEEP_ALIVE } from "../../../ports/resp/dial.ts";
import { faults } from "../faults.ts";
import type { WorkerNumber } from "../limits/proxy-worker.ts";
import { replies } from "../protocol/replies.ts";
import { startTimer } from "../timing/timer.ts";
import { Handshakes } from "./handshakes.ts";

/** The part of an endpoint's configuration that says how clients connect. */
type ListenerConfig = Pick<EndpointConfig, "settings" | "certificate">;

interface ListenerContext {
  readonly clock: Clock;
  readonly worker: WorkerNumber;
}

/** Accepts the connections of an endpoint's clients; with TLS, once they are through the handshake. */
export class EndpointListener {
  readonly #accept: (socket: Socket) => void;
  readonly #clock: Clock;
  /** Other workers listen at the same address, and the kernel gives each of them its part of the connections. */
  readonly #reusePort: boolean;
  readonly #mayOpen: () => boolean;
  readonly #connections = new Set<Socket>();
  readonly #refused = new Set<Socket>();
  /** Connections that were accepted and wait for their turn. */
  #arrived: Socket[] = [];
  /** By where they listen; that of all clients first. */
  readonly #servers = new Map<string, Server>();
  /** What happens to a connection; undefined while no client can be served. */
  #begin: ((socket: Socket) => void) | undefined;
  #handshakes: Handshakes | undefined;
  /** What the handshakes were made with. */
  #used = "";

  /** `mayOpen`: whether a further connection may be held. */
  constructor({ clock, worker }: ListenerContext, mayOpen: () => boolean, accept: (socket: Socket) => void) {
    this.#clock = clock;
    this.#reusePort = worker.of > 1;
    this.#mayOpen = mayOpen;
    this.#accept = accept;
  }

  /** How many connections are open, whatever became of them. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Says that there are too many clients, and closes the connection; without a word when many are being refused. */
  refuse(socket: Socket): void {
    if (this.#refused.size >= REFUSED_AT_ONCE) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    socket.once("close", () => this.#refused.delete(socket));
    refuseConnection(socket, this.#clock);
  }

  get listening(): boolean {
    const [first] = this.#servers.values();
    return first?.listening ?? false;
  }

  /**
   * Connections that come from now on are TLS or not, and show this certificate; without one an endpoint that speaks TLS accepts no
   * clients. PROXY_BAD_CERTIFICATE when it cannot be used: all stays as it was, and an endpoint that speaks no TLS yet accepts none.
   */
  use({ settings: { tlsMode }, certificate }: ListenerConfig): void {
    const used = tlsMode === "disabled" ? "disabled" : JSON.stringify([tlsMode, certificate]);
    if (used === this.#used) return;
    this.#used = used;
    if (tlsMode === "disabled" || certificate === undefined) {
      this.#stop();
      if (tlsMode === "disabled") this.#begin = this.#accept;
      else this.close();
      return;
    }
    const tls = { certificate, mutual: tlsMode === "mutual" };
    try {
      if (this.#handshakes === undefined) this.#handshakes = new Handshakes(tls, this.#clock, this.#accept);
      else this.#handshakes.use(tls);
    } catch (error) {
      if (this.#handshakes === undefined) this.#begin = undefined;
      throw new Fault(faults.badCertificate, `The certificate cannot be used: ${messageOf(error)}.`, {}, error);
    }
    const handshakes = this.#handshakes;
    this.#begin = (socket) => {
      handshakes.begin(socket);
    };
  }

  /**
   * Accepts clients at these addresses and at no others, unless none can be served. PROXY_CANNOT_LISTEN when one is in use or not of this machine; those before it are
   * listened at then.
   */
  async listen(addresses: readonly Address[]): Promise<void> {
    if (this.#begin === undefined) return;
    const wanted = new Map(addresses.map((address) => [`${address.host}:${address.port}`, address]));
    this.#closeServers((name) => !wanted.has(name));
    for (const [name, address] of wanted) if (!this.#servers.has(name)) await this.#listenAt(name, address);
  }

  /** Accepts no clients any more. */
  close(): void {
    this.#closeServers(() => true);
    this.#beginWith(this.#arrived.splice(0));
  }

  /** Cuts clients that are not through the handshake. */
  endHandshakes(): void {
    this.#handshakes?.close();
  }

  async #listenAt(name: string, { host, port }: Address): Promise<void> {
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...KEEP_ALIVE }, (socket) => {
      this.#take(socket);
    });
    this.#servers.set(name, server);
    try {
      server.listen({ host, port, backlog: BACKLOG, ...(this.#reusePort ? { reusePort: true } : {}) });
      await once(server, "listening");
    } catch (error) {
      if (this.#servers.get(name) === server) this.#servers.delete(name);
      const message = `Cannot listen at ${host}:${port}: ${messageOf(error)}`;
      throw new Fault(faults.cannotListen, message, { host, port }, error);
    }
  }

  #closeServers(isOver: (name: string) => boolean): void {
    for (const [name, server] of this.#servers) {
      if (!isOver(name)) continue;
      server.close();
      this.#servers.delete(name);
    }
  }

  /** Each other socket of the process has its turn between a few of them. Node.js 24 accepts one in a turn; versions before it took all that had come. */
  #take(socket: Socket): void {
    socket.on("error", ignoreError);
    if (this.#arrived.push(socket) === 1) setImmediate(() => void this.#beginNext());
  }

  #beginNext(): void {
    this.#beginWith(this.#arrived.splice(0, BEGUN_AT_ONCE));
    if (this.#arrived.length > 0) setImmediate(() => void this.#beginNext());
  }

  #beginWith(sockets: readonly Socket[]): void {
    for (const socket of sockets) if (!socket.destroyed) this.#beginOne(socket);
  }

  #beginOne(socket: Socket): void {
    if (this.#begin === undefined) {
      socket.destroy();
      return;
    }
    const isHeld = this.#mayOpen();
    this.#connections.add(socket);
    socket.once("close", () => this.#connections.delete(socket));
    if (isHeld) this.#begin(socket);
    // before a handshake no reason can be sent
    else if (this.#handshakes === undefined) this.refuse(socket);
    else socket.destroy();
  }

  #stop(): void {
    this.endHandshakes();
    this.#handshakes = undefined;
    this.#begin = undefined;
  }
}

/** A close follows. */
function ignoreError(): void {}

const BACKLOG = 4096;
/** About half a millisecond of work. */
const BEGUN_AT_ONCE = 8;
/** How many refused connections at once get the reason. */
const REFUSED_AT_ONCE = 32;

/** Says that there are too many clients, and closes the connection, also when the client does not. */
function refuseConnection(socket: Socket, clock: Clock): void {
  const cancel = startTimer(clock, CLOSE_MS, () => socket.destroy());
  socket.once("close", cancel);
  socket.on("error", () => undefined); // a close follows
  socket.resume(); // the end of the client comes only after what it has sent
  socket.end(replies.tooManyClients);
}

/** How long a refused client has to read why and to close, in milliseconds. */
const CLOSE_MS = 1_000;
