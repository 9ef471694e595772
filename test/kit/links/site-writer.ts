import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "#kit/base/fault";
import { connectEngine, type EngineClient } from "../../../src/ports/resp/engine-client.ts";

/** What a client of one site has written. A request that failed is unknown: it may have been executed. */
export interface WrittenAtSite {
  readonly acknowledged: number;
  readonly failed: number;
  readonly complaints: readonly string[];
}

/** A client of one site; disposed, it ends at once. */
export interface SiteWriter extends AsyncDisposable {
  readonly written: () => WrittenAtSite;
  /** Ends it, and resolves when its last request is answered. */
  stop(): Promise<WrittenAtSite>;
}

export interface SiteEndpoint {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** Counters and the set that every site writes. */
export const SHARED = { counters: ["count:a", "count:b", "count:c"], members: "members" } as const;

const AT_ONCE = 6;
const PAUSE_MS = 10;

/** Increments the counters by one each, and adds members of its own to a set, until it is stopped; connects again when it is cut. */
export async function writeAtSite(name: string, endpoint: SiteEndpoint): Promise<SiteWriter> {
  const connect = (): Promise<EngineClient> => connectEngine({ ...endpoint, timeoutMs: 30_000 });
  const book = { acknowledged: 0, failed: 0, complaints: [] as string[] };
  let client = await connect();
  let isOver = false;
  const request = async (number: number): Promise<void> => {
    const counter = SHARED.counters[number % SHARED.counters.length] ?? "";
    try {
      await Promise.all([client.call("INCR", counter), client.call("SADD", SHARED.members, `${name}:${number}`)]);
      book.acknowledged += 1;
    } catch (error) {
      book.failed += 1;
      if (book.complaints.length < 5) book.complaints.push(messageOf(error));
    }
  };
  const run = async (): Promise<void> => {
    let ended = client.closed.then(() => true);
    for (let number = 0; !isOver; number += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => request(number + index)));
      if (await Promise.race([ended, sleep(PAUSE_MS, false)])) {
        client = await connect();
        ended = client.closed.then(() => true);
      }
    }
    client.close();
  };
  const running = run();
  running.catch(() => undefined); // `stop` has it
  return {
    written: () => ({ ...book }),
    async stop() {
      isOver = true;
      await running;
      return { ...book };
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      client.close();
      await running.catch(() => undefined); // the test has failed already
    },
  };
}
