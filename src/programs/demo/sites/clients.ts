import { setTimeout as sleep } from "node:timers/promises";
import { Redis, type ChainableCommander } from "ioredis";
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
  /** The last that each client has written into its field of a session. */
  readonly sessions: Readonly<Record<string, number>>;
}

/** What a site holds of what all sites write. */
export interface SiteContent {
  /** The sum of the counters. */
  readonly counted: number;
  /** Of the set. */
  readonly members: number;
  /** Those that clients of that site have added. */
  readonly membersOf: Readonly<Record<DemoSite, number>>;
  /** The fields of the sessions that expire as they should. */
  readonly sessions: Readonly<Record<string, number>>;
  /** Rate limiters: each ends soon after its last request. */
  readonly limiters: number;
  /** Each key with what it holds and when it expires, the same for the same. */
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
const [SESSION, LIMITER] = ["session:", "limiter:"];
const [SESSION_SECONDS, LIMITER_MS, LIMITERS] = [3_600, 700, 5];
const CLIENTS = 6;
const PAUSE_MS = 10;

/**
 * Clients of a stock library at one site: each request counts, adds a member that no other one adds, renews a session that it shares with a client of
 * the other site, and passes a rate limiter of all.
 */
export class SiteClients implements SiteLoad {
  readonly #site: DemoSite;
  readonly #clients: readonly Redis[];
  readonly #running: Promise<void>;
  #isOver = false;
  #acknowledged = 0;
  #failed = 0;
  #longestMs = 0;
  readonly #sessions: Record<string, number> = {};

  constructor(site: DemoSite, endpoint: SiteEndpoint) {
    this.#site = site;
    this.#clients = Array.from({ length: CLIENTS }, () => new Redis(endpoint));
    // a request that fails says so
    for (const client of this.#clients) client.on("error", () => undefined);
    this.#running = Promise.all(this.#clients.map((client, index) => this.#run(client, index))).then(() => undefined);
  }

  written(): Promise<SiteWrites> {
    const longestMs = Math.round(this.#longestMs);
    const sessions = { ...this.#sessions };
    return Promise.resolve({ acknowledged: this.#acknowledged, failed: this.#failed, longestMs, sessions });
  }

  async stop(): Promise<SiteWrites> {
    this.#isOver = true;
    await this.#running;
    return this.written();
  }

  async content(): Promise<SiteContent> {
    const [client] = this.#clients;
    if (client === undefined) throw new Error("no client");
    const found = (await client.keys("*")).toSorted();
    const keys = await Promise.all(found.map((key) => keyAt(client, key)));
    const held = new Map(keys.map((each) => [each.key, each.value]));
    const counted = COUNTERS.reduce((sum, counter) => sum + Number(held.get(counter) ?? 0), 0);
    const members = asList(held.get(SET));
    const of = (site: DemoSite): number => members.filter((member) => member.startsWith(`${site}:`)).length;
    return {
      counted,
      members: members.length,
      membersOf: { east: of("east"), west: of("west") },
      sessions: sessionsIn(keys),
      limiters: found.filter((key) => key.startsWith(LIMITER)).length,
      text: JSON.stringify(keys),
    };
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
          renewSession(client, `${SESSION}${index}`, this.#site, number),
          passLimiter(client, `${LIMITER}${number % LIMITERS}`),
        ]);
        if (counted < 1 || added !== 1) throw new Error(`INCR gave ${counted}, and SADD ${added}`);
        this.#acknowledged += 1;
        this.#sessions[`${SESSION}${index} ${this.#site}`] = number;
      } catch {
        this.#failed += 1; // counted, and in the receipt
      }
      this.#longestMs = Math.max(this.#longestMs, performance.now() - began);
      await sleep(PAUSE_MS);
    }
  }
}

/** All of a transaction is executed, or it rejects. */
async function execute(transaction: ChainableCommander): Promise<void> {
  const replies = await transaction.exec();
  const [failure = null] = replies?.find(([error]) => error !== null) ?? [];
  if (replies === null || failure !== null) throw failure ?? new Error("the transaction was not executed");
}

/** As web applications do it: each request writes, and the session ends an hour later. */
function renewSession(client: Redis, key: string, field: string, value: number): Promise<void> {
  return execute(client.multi().hset(key, field, value).expire(key, SESSION_SECONDS));
}

/** Counts the requests of a short time, which begins with the first of them. */
function passLimiter(client: Redis, key: string): Promise<void> {
  return execute(client.multi().incr(key).pexpire(key, LIMITER_MS, "NX"));
}

interface KeyHeld {
  readonly key: string;
  readonly value: unknown;
  /** In milliseconds since 1970; -1: never. */
  readonly until: number;
}

/** What a client reads of a key, in an order that is the same everywhere. */
async function keyAt(client: Redis, key: string): Promise<KeyHeld> {
  const until = await client.pexpiretime(key);
  if (key === SET) return { key, value: (await client.smembers(key)).toSorted(), until };
  if (!key.startsWith(SESSION)) return { key, value: await client.get(key), until };
  const fields = Object.entries(await client.hgetall(key));
  return { key, value: fields.toSorted(([a], [b]) => (a < b ? -1 : 1)), until };
}

function asList(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function sessionsIn(keys: readonly KeyHeld[]): Readonly<Record<string, number>> {
  const inTime = keys.filter(({ key, until }) => key.startsWith(SESSION) && until > 0);
  const fields = inTime.flatMap(({ key, value }) =>
    asList(value).map(([field = "", number]) => [`${key} ${field}`, Number(number)] as const),
  );
  return Object.fromEntries(fields);
}
