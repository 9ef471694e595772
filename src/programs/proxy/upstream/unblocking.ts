import { setImmediate as turn } from "node:timers/promises";
import type { ControlConnection } from "./control-connection.ts";

/**
 * Ends waits of blocking commands at one engine, on a connection for that alone: while writes are paused what is asked there waits as well. An engine
 * that is asked to unblock a command which it has put off, because writes are paused, crashes (TIMEOUT) or may answer it twice (ERROR).
 */
export class Unblocking {
  readonly #connection: ControlConnection;
  /** Those that are being ended, by the CLIENT ID of their connection. */
  readonly #ending = new Map<number, Promise<boolean>>();
  #isOver = false;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /**
   * Ends the wait of the connection with this CLIENT ID, unless it is not due any more when writes go on; false when it does not wait, or the engine is
   * gone or does not answer. What is being ended already is ended once, as it was asked for first.
   */
  end(id: number, how: "TIMEOUT" | "ERROR", isDue: () => boolean): Promise<boolean> {
    const known = this.#ending.get(id);
    if (known !== undefined) return known;
    const ending = this.#end(id, how, isDue).finally(() => {
      this.#ending.delete(id);
      if (this.#isOver && this.#ending.size === 0) this.#connection.close();
    });
    this.#ending.set(id, ending);
    return ending;
  }

  /** Ends the connection; one that is needed later ends as soon as it is not. */
  close(): void {
    this.#connection.close();
  }

  /** The engine serves this proxy no more. */
  finish(): void {
    this.#isOver = true;
    this.close();
  }

  async #end(id: number, how: "TIMEOUT" | "ERROR", isDue: () => boolean): Promise<boolean> {
    try {
      const client = await this.#connection.client();
      // a command that was put off is executed before this is: what it has found at once is here before the answer to a further question,
      // and is read in the same turn at the latest: on a busy machine that comes behind the answer
      await client.call(...COUNTS_AS_WRITE);
      await client.call("PING");
      await turn();
      if (!isDue()) return false;
      // writes may be paused again by now: then the whole transaction is put off
      const outcomes = await client.callAll(
        [["MULTI"], COUNTS_AS_WRITE, ["CLIENT", "UNBLOCK", id, how], ["EXEC"]],
        "utf8",
      );
      const done = outcomes.at(-1);
      return Array.isArray(done) && done[1] === 1;
    } catch {
      return false; // nothing waits at an engine that is gone, and one that does not answer is asked again
    }
  }
}

/** It touches no key, a replica takes it too, and no client listens there. */
const COUNTS_AS_WRITE = ["SPUBLISH", "store:unblock", ""] as const;
