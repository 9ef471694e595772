import { connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import type { Address } from "../../../ports/management/proxy-control.ts";

/** A way over the network that can be cut. */
export interface CuttableWay extends AsyncDisposable {
  readonly address: Address;
  /** Ends every connection, and takes no new one. */
  cut(): void;
  mend(): void;
}

/** Relays what comes to `at` (port 0: any) to another address, byte by byte; each direction is late by `latencyMs`. */
export async function startWay(at: Address, to: Address, latencyMs: number): Promise<CuttableWay> {
  const relay = new Relay(to, latencyMs);
  const server = createServer({ allowHalfOpen: true }, (client) => relay.accept(client));
  server.listen(at.port, at.host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : at.port;
  return {
    address: { host: at.host, port },
    cut: () => relay.cut(),
    mend: () => relay.mend(),
    async [Symbol.asyncDispose]() {
      relay.cut();
      server.close();
      await once(server, "close");
    },
  };
}

class Relay {
  readonly #to: Address;
  readonly #latencyMs: number;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor(to: Address, latencyMs: number) {
    this.#to = to;
    this.#latencyMs = latencyMs;
  }

  accept(client: Socket): void {
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const target = this.#keep(connect({ ...this.#to, noDelay: true, allowHalfOpen: true }));
    this.#pass(this.#keep(client), target);
    this.#pass(target, client);
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket.on("error", () => socket.destroy());
  }

  #pass(from: Socket, into: Socket): void {
    from.on("data", (bytes) => setTimeout(() => into.write(bytes), this.#latencyMs));
    // what was sent before an end arrives, as on a network
    from.once("end", () => setTimeout(() => into.end(), this.#latencyMs));
    from.once("close", () => setTimeout(() => !from.readableEnded && into.destroy(), this.#latencyMs));
  }
}
