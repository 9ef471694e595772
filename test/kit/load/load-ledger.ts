import { randomUUID } from "node:crypto";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "#kit/base/fault";
import { connectEngine } from "../../../src/ports/resp/engine-client.ts";
import type { EngineClient, EngineOptions } from "../../../src/ports/resp/engine-client.ts";
import type { EngineTls } from "../../../src/ports/resp/engine-tls.ts";
import { numberOf } from "../../../src/ports/resp/reply.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";

/** What clients saw. A request that failed is unknown, not lost; `lost` counts acknowledged writes that were not there. */
export interface LedgerReport {
  readonly requests: number;
  readonly failed: number;
  readonly lost: number;
  /** Longest time from a request to its reply, in milliseconds. */
  readonly longestMs: number;
  /** The first few of what went wrong. */
  readonly complaints: readonly string[];
}

/** A running load; disposed, it ends at once and compares nothing. */
export interface Ledger extends AsyncDisposable {
  /** Requests answered so far. */
  readonly requests: () => number;
  /** From each request to its reply, since it was reset last, in microseconds. */
  readonly times: RecordableHistogram;
  /** Ends the load, then compares every value with what was acknowledged. */
  stop(): Promise<LedgerReport>;
}

export interface LedgerOptions {
  readonly host: string;
  readonly port: number;
  readonly password?: string;
  /** Present when the endpoint speaks TLS. */
  readonly tls?: EngineTls;
  readonly connections?: number;
  /** Pause of each connection between two requests, in milliseconds; 0 is a closed loop. */
  readonly pauseMs?: number;
}

/** Writes and reads on many connections, one request at a time on each, and keeps account of every acknowledgement. */
export async function startLedger(options: LedgerOptions): Promise<Ledger> {
  const { connections = 50, pauseMs = 0 } = options;
  const book: Book = {
    stopped: false,
    requests: 0,
    failed: 0,
    lost: 0,
    longestMs: 0,
    times: createHistogram(),
    complaints: [],
  };
  const engine: EngineOptions = { ...options, timeoutMs: 30_000 };
  const run = randomUUID().slice(0, 8);
  const writers = Array.from({ length: connections }, (_, i) => new Writer(i, `${run}:${i}`, engine, book));
  await Promise.all(writers.map((writer) => writer.connect()));
  const runs = writers.map((writer) => writer.run(pauseMs));
  return {
    requests: () => book.requests,
    times: book.times,
    stop: async () => {
      book.stopped = true;
      await Promise.all(runs);
      await Promise.all(writers.map((writer) => writer.verify()));
      const { requests, failed, lost, longestMs, complaints } = book;
      return { requests, failed, lost, longestMs, complaints };
    },
    [Symbol.asyncDispose]: async () => {
      book.stopped = true;
      for (const writer of writers) writer.close();
      await Promise.all(runs);
    },
  };
}

interface Book {
  stopped: boolean;
  requests: number;
  failed: number;
  lost: number;
  longestMs: number;
  readonly times: RecordableHistogram;
  readonly complaints: string[];
}

/** One connection with keys of its own: a text and a counter. */
class Writer {
  readonly #number: number;
  readonly #textKey: string;
  readonly #counterKey: string;
  readonly #engine: EngineOptions;
  readonly #book: Book;
  #client: EngineClient | undefined;
  #text: string | null = null;
  /** Texts whose SET failed: they may have been written. */
  #maybe: string[] = [];
  #counter = 0;
  /** Increments that failed: they may have been made. */
  #doubt = 0;

  constructor(number: number, name: string, engine: EngineOptions, book: Book) {
    this.#number = number;
    this.#textKey = `text:${name}`;
    this.#counterKey = `counter:${name}`;
    this.#engine = engine;
    this.#book = book;
  }

  async connect(): Promise<void> {
    this.#client = await connectEngine(this.#engine);
    void this.#client.closed.then(() => {
      this.#client = undefined;
    });
  }

  async run(pauseMs: number): Promise<void> {
    for (let turn = this.#number; !this.#book.stopped; turn++) {
      if (turn % 3 === 0) await this.#set(`${this.#number}:${turn}`);
      else if (turn % 3 === 1) await this.#increment();
      else await this.#read();
      if (pauseMs > 0) await sleep(pauseMs);
    }
  }

  async verify(): Promise<void> {
    await this.#read();
    const counter = await this.#ask("GET", this.#counterKey);
    if (counter !== undefined) this.#checkCounter(numberOf(counter ?? 0), this.#counter);
    this.close();
  }

  close(): void {
    this.#client?.close();
  }

  async #set(text: string): Promise<void> {
    const reply = await this.#ask("SET", this.#textKey, text);
    if (reply === undefined) this.#maybe.push(text);
    else {
      this.#text = text;
      this.#maybe = [];
    }
  }

  async #increment(): Promise<void> {
    const reply = await this.#ask("INCR", this.#counterKey);
    if (reply === undefined) this.#doubt++;
    else {
      this.#checkCounter(numberOf(reply), this.#counter + 1);
      this.#counter = numberOf(reply);
      this.#doubt = 0;
    }
  }

  async #read(): Promise<void> {
    const reply = await this.#ask("GET", this.#textKey);
    if (reply === undefined || reply === this.#text || this.#maybe.includes(String(reply))) return;
    this.#book.lost++;
    this.#complain(`${this.#textKey} is ${String(reply)}, acknowledged was ${this.#text}`);
  }

  #checkCounter(value: number, least: number): void {
    if (value >= least && value <= least + this.#doubt) return;
    this.#book.lost++;
    this.#complain(`${this.#counterKey} is ${value}, acknowledged was ${least} with ${this.#doubt} in doubt`);
  }

  /** The reply; undefined when the request failed. */
  async #ask(...args: readonly string[]): Promise<Reply | undefined> {
    const startedAt = performance.now();
    try {
      if (this.#client === undefined) await this.connect();
      const reply = await this.#client?.call(...args);
      this.#book.requests++;
      const ms = performance.now() - startedAt;
      this.#book.longestMs = Math.max(this.#book.longestMs, ms);
      this.#book.times.record(Math.max(1, Math.round(ms * 1_000)));
      return reply;
    } catch (error) {
      this.#book.failed++;
      this.#complain(`${args[0]} failed: ${messageOf(error)}`);
      await sleep(2);
      return undefined;
    }
  }

  #complain(complaint: string): void {
    if (this.#book.complaints.length < 10) this.#book.complaints.push(complaint);
  }
}
