import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { messageOf } from "#kit/base/fault";
import { openLedger, sumVerdicts, type Ledger, type LedgerVerdict } from "./ledger.ts";
import { phaseMeter, type Phase, type PhaseNumbers } from "./phases.ts";
import { TimelineMeter, type Timeline } from "./timeline.ts";

/** Which database is loaded, and how much. */
export interface LoadOptions {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly connections: number;
  /** Pause of each connection between two requests, in milliseconds. */
  readonly gapMs: number;
}

/** What the clients have measured so far. */
export interface LoadNumbers {
  readonly phases: readonly PhaseNumbers[];
  /** Connections that the service closed and the client library opened again. */
  readonly reconnects: number;
  /** The first few different error messages of the client library. */
  readonly failures: readonly string[];
}

/** The final figures of a load. */
export interface LoadResult extends LoadNumbers {
  readonly ledger: LedgerVerdict;
  readonly timeline: Timeline;
  /** `INFO server` of the engine that answers at the end. */
  readonly engine: string;
}

/** Clients that write, count and read. */
export interface Load {
  enter(phase: Phase): void;
  numbers(): LoadNumbers;
  /** The engine behind the endpoint by its own report, for instance "redis 7.0.15". */
  engine(): Promise<string>;
  /** Stops the requests, reads every acknowledged write back, closes the connections. */
  finish(): Promise<LoadResult>;
  /** Stops at once and checks nothing. */
  abort(): void;
}

/** Starts clients of a stock library with its default options, as an application would. An error has what kept them from connecting. */
export async function startClients(options: LoadOptions): Promise<Load> {
  // an earlier load may have left its keys in the same database
  const run = randomUUID().slice(0, 8);
  const load = new Clients(options, run);
  await load.connect();
  load.start();
  return load;
}

class Clients implements Load {
  readonly #gapMs: number;
  readonly #meter = phaseMeter();
  readonly #timeline = new TimelineMeter();
  readonly #failures = new Set<string>();
  readonly #clients: readonly LedgerOwner[];
  #drivers: readonly Promise<void>[] = [];
  #stopping = false;

  constructor({ host, port, password, connections, gapMs }: LoadOptions, run: string) {
    this.#gapMs = gapMs;
    this.#clients = Array.from({ length: connections }, (_, index) => {
      const redis = new Redis({ host, port, password, lazyConnect: true });
      const client: LedgerOwner = { redis, ledger: openLedger(redis, `${run}:${index}`), reconnects: 0 };
      redis.on("reconnecting", () => {
        client.reconnects += 1;
        this.#timeline.reconnect();
      });
      // the library retries what it reports here; a request that it gives up on is rejected and counted
      redis.on("error", (error: Error) => this.#remember(`connection: ${error.message}`));
      return client;
    });
  }

  async connect(): Promise<void> {
    try {
      await Promise.all(this.#clients.map(({ redis }) => redis.connect()));
    } catch (error) {
      this.abort(); // the library would go on trying
      throw new Error([messageOf(error), ...this.#failures].join(" "), { cause: error });
    }
  }

  start(): void {
    this.#drivers = this.#clients.map((client) => this.#drive(client));
  }

  enter(phase: Phase): void {
    this.#meter.enter(phase);
  }

  numbers(): LoadNumbers {
    const reconnects = this.#clients.reduce((sum, client) => sum + client.reconnects, 0);
    return { phases: this.#meter.numbers(), reconnects, failures: [...this.#failures] };
  }

  async engine(): Promise<string> {
    const [first] = this.#clients;
    return first === undefined ? "" : engineNameOf(await first.redis.info("server"));
  }

  async finish(): Promise<LoadResult> {
    this.#stopping = true;
    await Promise.all(this.#drivers);
    const measured = { ...this.numbers(), timeline: this.#timeline.timeline() };
    const ledger = sumVerdicts(await Promise.all(this.#clients.map((client) => client.ledger.verify())));
    const result = { ...measured, ledger, engine: await this.engine() };
    this.abort();
    return result;
  }

  abort(): void {
    this.#stopping = true;
    for (const { redis } of this.#clients) redis.disconnect();
  }

  async #drive(client: LedgerOwner): Promise<void> {
    while (!this.#stopping) {
      const began = performance.now();
      // a request that begins during a reconnect waits for it as well
      const before = client.redis.status === "ready" ? client.reconnects : -1;
      try {
        await client.ledger.step();
        const took = [performance.now() - began, client.reconnects > before] as const;
        this.#meter.record(...took);
        this.#timeline.record(...took);
      } catch (error) {
        this.#meter.fail();
        this.#timeline.fail();
        this.#remember(messageOf(error));
      }
      await sleep(this.#gapMs);
    }
  }

  /** Keeps the first few different messages. */
  #remember(message: string): void {
    if (this.#failures.size < 10) this.#failures.add(message);
  }
}

interface LedgerOwner {
  readonly redis: Redis;
  readonly ledger: Ledger;
  reconnects: number;
}

function engineNameOf(info: string): string {
  for (const family of ["valkey", "redict", "redis"]) {
    const version = new RegExp(`^${family}_version:(\\S+)`, "m").exec(info)?.[1];
    if (version !== undefined) return `${family} ${version}`;
  }
  return "unknown engine";
}
