import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { messageOf } from "../../core/base/fault.ts";
import { openLedger, sumVerdicts, type LedgerVerdict } from "./ledger.ts";
import { phaseMeter, type Phase, type PhaseNumbers } from "./phases.ts";

export interface LoadOptions {
  readonly host: string;
  readonly port: number;
  readonly password: string;
  readonly connections: number;
  /** Pause of each connection between two requests, in milliseconds. */
  readonly gapMs: number;
}

export interface LoadNumbers {
  readonly phases: readonly PhaseNumbers[];
  /** Connections that were closed by the service and made again by the client library. */
  readonly reconnects: number;
  /** The first few different failures, in the client library's words. */
  readonly failures: readonly string[];
}

/** What the load says of itself when it is over. */
export interface LoadResult extends LoadNumbers {
  readonly ledger: LedgerVerdict;
  /** `INFO server` of the engine that answers at the end. */
  readonly engine: string;
}

export interface Load {
  enter(phase: Phase): void;
  numbers(): LoadNumbers;
  /** What the engine behind the endpoint says it is, for instance "redis 7.0.15". */
  engine(): Promise<string>;
  /** Stops the requests, reads every acknowledged write back, closes the connections. */
  finish(): Promise<LoadResult>;
  /** Stops at once and checks nothing. */
  abandon(): void;
}

/** Starts clients of a stock library with its default options, as an application would. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const meter = phaseMeter();
  const failures = new Set<string>();
  let reconnects = 0;
  let stopping = false;
  const moves = new Map<Redis, number>();
  const movesOf = (client: Redis): number => moves.get(client) ?? 0;

  const clients = Array.from({ length: options.connections }, () => {
    const client = new Redis({ host: options.host, port: options.port, password: options.password, lazyConnect: true });
    client.on("reconnecting", () => {
      reconnects += 1;
      moves.set(client, movesOf(client) + 1);
    });
    // The library repeats by itself what it reports here; what it gives up on rejects the request, which is counted.
    client.on("error", (error: Error) => remember(failures, `connection: ${error.message}`));
    return client;
  });
  await Promise.all(clients.map((client) => client.connect()));

  // a load before this one may have left its keys in the same database
  const run = randomUUID().slice(0, 8);
  const ledgers = clients.map((client, index) => ({ client, book: openLedger(client, `${run}:${index}`) }));
  const drive = async ({ client, book }: (typeof ledgers)[number]): Promise<void> => {
    while (!stopping) {
      const began = performance.now();
      // a connection that is being made again when the request begins makes it wait just the same
      const movesBefore = client.status === "ready" ? movesOf(client) : -1;
      try {
        await book.step();
        meter.record(performance.now() - began, movesOf(client) > movesBefore);
      } catch (error) {
        meter.fail();
        remember(failures, messageOf(error));
      }
      await sleep(options.gapMs);
    }
  };
  const drivers = ledgers.map(drive);
  const [first] = clients;
  const numbers = (): LoadNumbers => ({ phases: meter.numbers(), reconnects, failures: [...failures] });
  const engine = async (): Promise<string> => (first === undefined ? "" : identityOf(await first.info("server")));

  return {
    enter: (phase) => {
      meter.enter(phase);
    },
    numbers,
    engine,
    finish: async () => {
      stopping = true;
      await Promise.all(drivers);
      const measured = numbers();
      const ledger = sumVerdicts(await Promise.all(ledgers.map(({ book }) => book.verify())));
      const result = { ...measured, ledger, engine: await engine() };
      for (const client of clients) client.disconnect();
      return result;
    },
    abandon: () => {
      stopping = true;
      for (const client of clients) client.disconnect();
    },
  };
}

function remember(failures: Set<string>, message: string): void {
  if (failures.size < 10) failures.add(message);
}

function identityOf(info: string): string {
  for (const family of ["valkey", "redict", "redis"]) {
    const version = new RegExp(`^${family}_version:(\\S+)`, "m").exec(info)?.[1];
    if (version !== undefined) return `${family} ${version}`;
  }
  return "unknown engine";
}
