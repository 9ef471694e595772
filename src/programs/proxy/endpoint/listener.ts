import { once } from "node:events";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { Fault, messageOf } from "../../../core/base/fault.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { KEEP_ALIVE } from "../../../ports/resp/dial.ts";
import { faults } from "../faults.ts";

/** Accepts the connections of an endpoint's clients. */
export class Listener {
  readonly #accept: (socket: Socket) => void;
  #server: Server | undefined;

  constructor(accept: (socket: Socket) => void) {
    this.#accept = accept;
  }

  get listening(): boolean {
    return this.#server?.listening ?? false;
  }

  /** Accepts clients. PROXY_CANNOT_LISTEN when the address is in use or not of this machine. */
  async listen({ host, port }: Address): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, noDelay: true, ...KEEP_ALIVE }, this.#accept);
    this.#server = server;
    try {
      server.listen({ host, port, backlog: BACKLOG });
      await once(server, "listening");
    } catch (error) {
      this.#server = undefined;
      const message = `Cannot listen at ${host}:${port}: ${messageOf(error)}`;
      throw new Fault(faults.cannotListen, message, { host, port }, error);
    }
  }

  /** Accepts no clients any more. */
  close(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}

const BACKLOG = 4096;
