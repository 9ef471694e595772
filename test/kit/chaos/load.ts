import { setTimeout as sleep } from "node:timers/promises";
import { endOf } from "./running-client.ts";
import { Redis, ReplyError } from "ioredis";
import type { Act, Operation } from "../linearizability/history.ts";

/** What one client did: operations on shared keys, and writes of keys that it writes once. */
export interface Load extends AsyncDisposable {
  readonly operations: readonly Operation[];
  /** Writes that were acknowledged, each of a key of its own; `end` as in Operation. */
  readonly written: readonly { readonly key: string; readonly end: number }[];
  /** Ends after the requests that are under way; rejects when one of them is not answered within `withinMs`. */
  stop(withinMs: number): Promise<void>;
}

/** Shared keys are those of the same few seconds, so that the history of a key stays short. */
const SLICE_NS = 4_000_000_000n;
const REGISTERS = 3;
/** So that the machine has time for the cluster. */
const PAUSE_MS = 4;
/** The connection ended before the answer: the outcome is not known. */
const FAILED = Symbol("failed");
/** The answer is an error: for instance a full volume takes no writes. */
const REFUSED = Symbol("refused");

/** Begins to play client `name` of an endpoint, one request after the other. */
export function startLoad(host: string, port: number, name: string): Load {
  // what may have been executed is not sent again: its outcome is not known; what is asked has a connection, so that it is sent
  const redis = new Redis({ host, port, maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy });
  redis.on("error", () => undefined); // it connects again
  const client = new Client(redis, name);
  const running = client.run();
  return {
    operations: client.operations,
    written: client.written,
    ...endOf(name, client, redis, running),
  };
}

function retryStrategy(): number {
  return 50;
}

class Client {
  readonly operations: Operation[] = [];
  readonly written: { readonly key: string; readonly end: number }[] = [];
  isOver = false;
  /** The request that is under way. */
  current = "";
  readonly #redis: Redis;
  readonly #name: string;

  constructor(redis: Redis, name: string) {
    this.#redis = redis;
    this.#name = name;
  }

  async run(): Promise<void> {
    for (let number = 0; !this.isOver; number += 1) {
      if (this.#redis.status === "ready") await this.#operate(number);
      await sleep(PAUSE_MS);
    }
    this.#redis.disconnect();
  }

  async #operate(number: number): Promise<void> {
    const slice = process.hrtime.bigint() / SLICE_NS;
    const register = `register-${Math.floor(Math.random() * REGISTERS)}-${slice}`;
    const value = `${this.#name}-${number}`;
    const dice = Math.random();
    if (dice < 0.3) await this.#get(register);
    else if (dice < 0.5) await this.#set(register, value);
    else if (dice < 0.65) await this.#swap(register, value);
    else if (dice < 0.75) await this.#append(`list-${slice}`, value);
    else if (dice < 0.8) await this.#readList(`list-${slice}`);
    else await this.#write(value);
  }

  async #get(key: string): Promise<void> {
    const [value, begin, end] = await this.#timed("GET", () => this.#redis.get(key));
    if (typeof value !== "symbol") this.#note(key, begin, end, { kind: "get", value });
  }

  async #set(key: string, value: string): Promise<void> {
    const [answer, begin, end] = await this.#timed("SET", () => this.#redis.set(key, value));
    if (answer !== REFUSED) this.#note(key, begin, answer === FAILED ? undefined : end, { kind: "set", value });
  }

  /** Reads, and sets what it has read to another value unless it changes meanwhile. */
  async #swap(key: string, to: string): Promise<void> {
    const [answer, begin, end] = await this.#timed("WATCH", async () => {
      await this.#redis.watch(key);
      const from = await this.#redis.get(key);
      const [done] = (await this.#redis.multi().set(key, to).exec()) ?? [];
      if (done?.[0] instanceof Error) throw done[0];
      return { from, isSet: done !== undefined };
    });
    if (answer === REFUSED) return;
    if (answer === FAILED) this.#note(key, begin, undefined, { kind: "exchange", to });
    else if (answer.isSet) this.#note(key, begin, end, { kind: "compare-and-set", from: answer.from, to });
    else this.#note(key, begin, end, { kind: "get", value: answer.from });
  }

  async #append(key: string, value: string): Promise<void> {
    const [answer, begin, end] = await this.#timed("RPUSH", () => this.#redis.rpush(key, value));
    if (answer === REFUSED) return;
    const length = answer === FAILED ? undefined : answer;
    this.#note(key, begin, length === undefined ? undefined : end, { kind: "append", value, length });
  }

  async #readList(key: string): Promise<void> {
    const [values, begin, end] = await this.#timed("LRANGE", () => this.#redis.lrange(key, 0, -1));
    if (typeof values !== "symbol") this.#note(key, begin, end, { kind: "read-list", values });
  }

  async #write(value: string): Promise<void> {
    const key = `written-${value}`;
    const [answer, , end] = await this.#timed("SET", () => this.#redis.set(key, value));
    if (typeof answer !== "symbol") this.written.push({ key, end });
  }

  async #timed<T>(
    what: string,
    ask: () => Promise<T>,
  ): Promise<[T | typeof FAILED | typeof REFUSED, begin: number, end: number]> {
    this.current = what;
    const begin = Number(process.hrtime.bigint());
    const answer = await ask().catch((error: unknown) => (error instanceof ReplyError ? REFUSED : FAILED));
    return [answer, begin, Number(process.hrtime.bigint())];
  }

  #note(key: string, begin: number, end: number | undefined, act: Act): void {
    this.operations.push({ client: this.#name, key, begin, end, act });
  }
}
