import type { Arg } from "../../../src/ports/resp/encode.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";

/** A request, and the reply that its client must get: the value itself, or how the text of an error begins. */
export interface Expectation {
  readonly request: readonly Arg[];
  readonly reply: Reply | { readonly errorBegins: string };
}

/** Data that looks like something else: replies, errors of an engine that loads or moves, messages of channels. */
const ODD = [
  "message",
  "subscribe",
  "-LOADING engine is loading the dataset in memory\r\n",
  "-READONLY You can't write against a read only replica.\r\n",
  "+OK\r\n",
  "*3\r\n$7\r\nmessage\r\n",
  "$-1\r\n",
  "\r\n",
  "",
  "x".repeat(40_000),
] as const;

/** A version of the protocol: some replies differ. */
export type Resp = 2 | 3;

/** A client with keys of its own, whose every reply is known beforehand. */
export class Tenant {
  readonly #name: string;
  readonly #dice: () => number;
  readonly #resp: Resp;
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, string[]>();
  readonly #hashes = new Map<string, Map<string, string>>();
  #counter = 0;
  #clientName: string | null = null;
  #turn = 0;

  /** `dice` gives numbers from 0 to 1. */
  constructor(name: string, dice: () => number, resp: Resp = 2) {
    this.#name = name;
    this.#dice = dice;
    this.#resp = resp;
  }

  /** Every key that it may have written. */
  get keys(): readonly string[] {
    const kinds = ["text", "list", "hash"];
    return [
      `${this.#name}:counter`,
      ...kinds.flatMap((kind) => [0, 1, 2, 3].map((at) => `${this.#name}:${kind}:${at}`)),
    ];
  }

  /** Up to `most` requests that are sent together. */
  pipeline(most: number): readonly Expectation[] {
    const count = 1 + Math.floor(this.#dice() * most);
    return Array.from({ length: count }, () => this.#next()).flat();
  }

  #next(): readonly Expectation[] {
    const dice = this.#dice();
    if (dice < 0.1) return this.#transaction();
    if (dice < 0.15) return [this.#wrong()];
    if (dice < 0.22) return [this.#script()];
    return [this.#plain()];
  }

  #plain(): Expectation {
    const at = Math.floor(this.#dice() * 4);
    switch (Math.floor(this.#dice() * 10)) {
      case 0:
        return this.#set(`${this.#name}:text:${at}`);
      case 1:
        return this.#get(`${this.#name}:text:${at}`);
      case 2:
        return { request: ["INCR", `${this.#name}:counter`], reply: (this.#counter += 1) };
      case 3:
        return this.#push(`${this.#name}:list:${at}`);
      case 4:
        return this.#pop(`${this.#name}:list:${at}`);
      case 5:
        return this.#write(`${this.#name}:hash:${at}`);
      case 6:
        return this.#readAll(`${this.#name}:hash:${at}`);
      case 7:
        return this.#range(`${this.#name}:list:${at}`);
      case 8: {
        const value = this.#value();
        return { request: ["ECHO", value], reply: value };
      }
      default:
        return this.#ofProxy();
    }
  }

  #set(key: string): Expectation {
    const value = this.#value();
    this.#texts.set(key, value);
    return { request: ["SET", key, value], reply: "OK" };
  }

  #get(key: string): Expectation {
    return { request: ["GET", key], reply: this.#texts.get(key) ?? null };
  }

  #push(key: string): Expectation {
    const value = this.#value();
    const list = [...(this.#lists.get(key) ?? []), value].slice(-20);
    const length = (this.#lists.get(key)?.length ?? 0) + 1;
    if (length > 20) return this.#range(key);
    this.#lists.set(key, list);
    return { request: ["RPUSH", key, value], reply: length };
  }

  /** A list with elements gives one at once, also to a command that may wait. */
  #pop(key: string): Expectation {
    const [first, ...rest] = this.#lists.get(key) ?? [];
    if (first === undefined) return { request: ["LPOP", key], reply: null };
    this.#lists.set(key, rest);
    return this.#dice() < 0.5
      ? { request: ["BLPOP", key, 0], reply: [key, first] }
      : { request: ["LPOP", key], reply: first };
  }

  #range(key: string): Expectation {
    return { request: ["LRANGE", key, 0, -1], reply: this.#lists.get(key) ?? [] };
  }

  #write(key: string): Expectation {
    const hash = this.#hashes.get(key) ?? new Map<string, string>();
    this.#hashes.set(key, hash);
    const field = ODD[Math.floor(this.#dice() * 4)] ?? "field";
    const isNew = !hash.has(field);
    const value = `${this.#name}-${(this.#turn += 1)}`;
    hash.set(field, value);
    return { request: ["HSET", key, field, value], reply: isNew ? 1 : 0 };
  }

  #readAll(key: string): Expectation {
    const hash = this.#hashes.get(key) ?? new Map<string, string>();
    return { request: ["HGETALL", key], reply: this.#resp === 3 ? new Map(hash) : [...hash].flat() };
  }

  /** What no engine answers. */
  #ofProxy(): Expectation {
    if (this.#dice() < 0.5) return { request: ["CLIENT", "GETNAME"], reply: this.#clientName };
    this.#clientName = `${this.#name}-${(this.#turn += 1)}`;
    return { request: ["CLIENT", "SETNAME", this.#clientName], reply: "OK" };
  }

  #transaction(): readonly Expectation[] {
    const inside = Array.from({ length: 1 + Math.floor(this.#dice() * 3) }, () => this.#plain());
    return [
      { request: ["MULTI"], reply: "OK" },
      ...inside.map(({ request }): Expectation => ({ request, reply: "QUEUED" })),
      { request: ["EXEC"], reply: inside.map(({ reply }) => reply as Reply) },
    ];
  }

  #wrong(): Expectation {
    const key = `${this.#name}:counter`;
    if (this.#counter > 0 && this.#dice() < 0.5)
      return { request: ["LPUSH", key, "x"], reply: { errorBegins: "-WRONGTYPE" } };
    return { request: ["GET"], reply: { errorBegins: "-ERR wrong number of arguments" } };
  }

  #script(): Expectation {
    const token = `${this.#name}-${(this.#turn += 1)}`;
    if (this.#dice() < 0.5)
      return { request: ["EVAL", "return {'message', ARGV[1], 'x'}", 0, token], reply: ["message", token, "x"] };
    const error = `LOADING ${token}`;
    return {
      request: ["EVAL", "return redis.error_reply(ARGV[1])", 0, error],
      reply: { errorBegins: `-${error}` },
    };
  }

  #value(): string {
    const odd = ODD[Math.floor(this.#dice() * ODD.length)] ?? "";
    return `${odd}${this.#name}-${(this.#turn += 1)}`;
  }
}
