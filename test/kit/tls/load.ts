import type { ConnectionOptions } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { until } from "#kit/testing/until";

const PATIENCE = { withinMs: 60_000, everyMs: 25 };
/** A client tries so often to connect, for about 10 s. */
const TRIES = 20;

/** Clients of a library that count without a pause. */
export interface CountingLoad extends AsyncDisposable {
  /** Resolves once each client has got further. */
  goesOn(): Promise<void>;
  /** Ends the load: what has failed, and counts that the database does not have. */
  finish(): Promise<readonly string[]>;
  /**
   * Resolves once no client finds an endpoint that speaks as it does, compared with what clients that do find: what failed before, and
   * counts that the database does not have.
   */
  shutOut(tls: ConnectionOptions): Promise<readonly string[]>;
}

/** How clients log in; with TLS when its options are given. */
interface CountingOptions {
  readonly password: string;
  readonly tls?: ConnectionOptions;
  /** Pause of each client between two requests, in milliseconds. */
  readonly gapMs: number;
}

/** One client for each place. A request that fails is not tried again, and a client that cannot connect for 10 s ends. */
export function startCounting(
  places: readonly { readonly host: string; readonly port: number }[],
  { gapMs, ...options }: CountingOptions,
): CountingLoad {
  const clients = places.map(
    (place) =>
      new Redis({
        ...place,
        ...options,
        maxRetriesPerRequest: null,
        retryStrategy: (tries) => (tries > TRIES ? null : tries * 50),
      }),
  );
  const failures: string[] = [];
  const counts = clients.map(() => 0);
  let isOver = false;
  const running = clients.map(async (client, i) => {
    client.on("error", () => undefined); // a request that fails is what counts
    // the library forgets a request that was on its way when the connection ended
    const end = new Promise<undefined>((resolve) => client.once("end", () => resolve(undefined)));
    while (!isOver) {
      try {
        counts[i] = (await Promise.race([client.incr(`count:${i}`), end])) ?? counts[i] ?? 0;
      } catch (error) {
        if (client.status !== "end") failures.push(String(error));
      }
      if (client.status === "end") return;
      await sleep(gapMs);
    }
  });
  const wrongFor = async (askers: readonly Redis[]): Promise<readonly string[]> => {
    const found = await Promise.all(askers.map((asker, i) => asker.get(`count:${i}`)));
    return counts.flatMap((count, i) => (Number(found[i]) === count ? [] : [`${found[i]} is not ${count}`]));
  };
  return {
    goesOn: async () => {
      const before = [...counts];
      await until("each client goes on", () => counts.every((count, i) => count > (before[i] ?? 0) + 50), PATIENCE);
    },
    finish: async () => {
      isOver = true;
      await Promise.all(running);
      const ended = clients.flatMap(({ status }, i) => (status === "end" ? [`client ${i} was shut out`] : []));
      return ended.length > 0 ? [...failures, ...ended] : [...failures, ...(await wrongFor(clients))];
    },
    shutOut: async (tls) => {
      await Promise.all(running);
      const askers = places.map((place) => new Redis({ ...place, ...options, tls }));
      const wrong = await wrongFor(askers).finally(() => askers.forEach((asker) => asker.disconnect()));
      return [...failures, ...wrong];
    },
    [Symbol.asyncDispose]: () => {
      isOver = true;
      for (const client of clients) client.disconnect();
      return Promise.resolve();
    },
  };
}
