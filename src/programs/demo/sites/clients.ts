import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { DemoSite } from "./objects.ts";

/** Where the clients of a site connect. */
export interface SiteEndpoint {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** What the clients of a site have written. */
export interface SiteWrites {
  readonly acknowledged: number;
  readonly failed: number;
  /** The longest that one of them waited, in milliseconds. */
  readonly longestMs: number;
}

/** What a site holds of what all sites write: the sum of the counters, the members of the set, and all of it as one text. */
export interface SiteContent {
  readonly counted: number;
  readonly members: number;
  /** Those that clients of that site have added. */
  readonly membersOf: Readonly<Record<DemoSite, number>>;
  readonly text: string;
}

/** Clients at one site that write from their start on, here or in a process of their own. */
export interface SiteLoad extends AsyncDisposable {
  written(): Promise<SiteWrites>;
  /** Resolves when the last request is answered. */
  stop(): Promise<SiteWrites>;
  content(): Promise<SiteContent>;
}

const COUNTERS = ["count:a", "count:b", "count:c"] as const;
const SET = "members";
const CLIENTS = 6;
const PAUSE_MS = 10;

/** Clients of a stock library at one site: each request counts, and adds a member that no other one adds. */
export class SiteClients implements SiteLoad {
  readonly #site: DemoSite;
  readonly #clients: readonly Redis[];
  readonly #running: Promise<void>;
  #isOver = false;
  #acknowledged = 0;
  #failed = 0;
  #longestMs = 0;

  constructor(site: DemoSite, endpoint: SiteEndpoint) {
    this.#site = site;
    this.#clients = Array.from({ length: CLIENTS }, () => new Redis(endpoint));
    // a request that fails says so
    for (const client of this.#clients) client.on("error", () => undefined);
    this.#running = Promise.all(this.#clients.map((client, index) => this.#run(client, index))).then(() => undefined);
  }

  written(): Promise<SiteWrites> {
    const longestMs = Math.round(this.#longestMs);
    return Promise.resolve({ acknowledged: this.#acknowledged, failed: this.#failed, longestMs });
  }

  async stop(): Promise<SiteWrites> {
    this.#isOver = true;
    await this.#running;
    return this.written();
  }

  async content(): Promise<SiteContent> {
    const [client] = this.#clients;
    if (client === undefined) throw new Error("no client");
    const [counters, members] = await Promise.all([client.mget(...COUNTERS), client.smembers(SET)]);
    const counted = counters.reduce((sum, counter) => sum + Number(counter), 0);
    const of = (site: DemoSite): number => members.filter((member) => member.startsWith(`${site}:`)).length;
    const membersOf = { east: of("east"), west: of("west") };
    return { counted, members: members.length, membersOf, text: JSON.stringify([counters, members.toSorted()]) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const client of this.#clients) client.disconnect();
    return Promise.resolve();
  }

  async #run(client: Redis, index: number): Promise<void> {
    for (let number = 0; !this.#isOver; number++) {
      const began = performance.now();
      const member = `${this.#site}:${index}:${number}`;
      try {
        const [counted, added] = await Promise.all([
          client.incr(COUNTERS[number % COUNTERS.length] ?? ""),
          client.sadd(SET, member),
        ]);
        if (counted < 1 || added !== 1) throw new Error(`INCR gave ${counted}, and SADD ${added}`);
        this.#acknowledged += 1;
      } catch {
        this.#failed += 1; // counted, and in the receipt
      }
      this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
      await sleep(PAUSE_MS);
    }
  }
}
