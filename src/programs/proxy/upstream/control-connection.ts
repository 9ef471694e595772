import type { EngineLogin } from "../../../core/api/engine-login.ts";
import type { SocketTarget } from "../../../ports/resp/dial.ts";
import { connectEngine, errorReplyOf } from "../../../ports/resp/engine-client.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import { textOf } from "../../../ports/resp/reply.ts";
import { errorReply } from "../protocol/replies.ts";

/** A user of the engine other than that of the proxy. */
export interface EngineUser {
  readonly name: Buffer;
  readonly password: Buffer;
}

/** A connection to one engine for commands of the proxy itself, dialled when it is first needed and kept open. */
export class ControlConnection {
  readonly #address: SocketTarget;
  readonly #logins: () => readonly EngineLogin[];
  #client: Promise<EngineClient> | undefined;

  constructor(address: SocketTarget, logins: () => readonly EngineLogin[]) {
    this.#address = address;
    this.#logins = logins;
  }

  /** The open connection; rejects when the engine cannot be reached, and the next call dials again. */
  client(): Promise<EngineClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** The engine's status or error reply to a command of a client, encoded; as `user` on a connection for that alone. */
  async ask(args: readonly Buffer[], user: EngineUser | undefined): Promise<Buffer> {
    const client = user === undefined ? await this.client() : await this.#open();
    try {
      if (user !== undefined) await client.call("AUTH", user.name, user.password);
      return Buffer.from(`+${textOf(await client.call(...args))}\r\n`);
    } catch (error) {
      const refusal = errorReplyOf(error);
      if (refusal === undefined) throw error;
      return errorReply(refusal);
    } finally {
      if (user !== undefined) client.close();
    }
  }

  close(): void {
    void this.#client?.then(
      (client) => {
        client.close();
      },
      () => undefined, // it was never connected
    );
  }

  #open(): Promise<EngineClient> {
    return connectEngine({ ...this.#address, logins: this.#logins(), timeoutMs: TIMEOUT_MS });
  }

  async #connect(): Promise<EngineClient> {
    try {
      const client = await this.#open();
      void client.closed.then(() => {
        this.#client = undefined;
      });
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }
}

const TIMEOUT_MS = 5000;
