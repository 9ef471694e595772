import { setTimeout as sleep } from "node:timers/promises";

/** A client that plays until it is over. */
export interface PlayedClient {
  /** What it waits for an answer to. */
  readonly current: string;
  isOver: boolean;
}

/** Its connections, which end with it. */
export interface Disconnectable {
  disconnect(): void;
}

/** Ends a client: in good order, within so many milliseconds of the last fault, or at once. */
export interface ClientEnd extends AsyncDisposable {
  /** Its name, and what it waits for an answer to. */
  readonly waitsFor: () => string;
  /** Resolves when it is over; rejects when it still waits for an answer then. */
  stop(withinMs: number): Promise<void>;
}

/** How a client that runs is ended; `running` resolves when it is over. */
export function endOf(
  name: string,
  client: PlayedClient,
  connections: Disconnectable,
  running: Promise<void>,
): ClientEnd {
  return {
    waitsFor: () => `${name}: "${client.current}"`,
    stop: async (withinMs) => {
      client.isOver = true;
      const late = new AbortController();
      const deadline = sleep(withinMs, undefined, { signal: late.signal }).then(
        () => {
          throw new Error(`${name}: "${client.current}" has had no answer ${withinMs / 1_000} s after the last fault`);
        },
        () => undefined, // it is over
      );
      await Promise.race([running, deadline]);
      late.abort();
    },
    [Symbol.asyncDispose]: async () => {
      client.isOver = true;
      connections.disconnect();
      await Promise.race([running, sleep(1_000)]);
    },
  };
}
