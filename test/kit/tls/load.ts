import type { ConnectionOptions } from "node:tls";
import { Redis } from "ioredis";
import { until } from "../time/until.ts";

const PATIENCE = { withinMs: 60_000, everyMs: 25 };

/** Clients of a library that speak TLS and count without a pause. */
export interface TlsLoad extends AsyncDisposable {
  /** Resolves once each client has got further. */
  goesOn(): Promise<void>;
  /** Ends the load: what has failed, and counts that the database does not have. */
  finish(): Promise<readonly string[]>;
}

/** One client for each place. A request that fails is not tried again. */
export function startTlsLoad(
  places: readonly { readonly host: string; readonly port: number }[],
  { password, tls }: { readonly password: string; readonly tls: ConnectionOptions },
): TlsLoad {
  const clients = places.map((place) => new Redis({ ...place, password, tls }));
  const failures: string[] = [];
  const counts = clients.map(() => 0);
  let isOver = false;
  const running = clients.map(async (client, i) => {
    client.on("error", () => undefined); // a request that fails is what counts
    while (!isOver) {
      try {
        counts[i] = await client.incr(`count:${i}`);
      } catch (error) {
        failures.push(String(error));
      }
    }
  });
  return {
    goesOn: async () => {
      const before = [...counts];
      await until("each client goes on", () => counts.every((count, i) => count > (before[i] ?? 0) + 50), PATIENCE);
    },
    finish: async () => {
      isOver = true;
      await Promise.all(running);
      const found = await Promise.all(clients.map((client, i) => client.get(`count:${i}`)));
      const wrong = counts.flatMap((count, i) => (Number(found[i]) === count ? [] : [`${found[i]} is not ${count}`]));
      return [...failures, ...wrong];
    },
    [Symbol.asyncDispose]: () => {
      isOver = true;
      for (const client of clients) client.disconnect();
      return Promise.resolve();
    },
  };
}
