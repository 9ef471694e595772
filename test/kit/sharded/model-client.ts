import { isDeepStrictEqual } from "node:util";
import type { Arg } from "../../../src/ports/resp/encode.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import { shaOf } from "../../../src/programs/proxy/upstream/script-cache.ts";

/** A request, and its reply: the value, the text of the error, or what each right one is. */
export interface Expected {
  readonly request: readonly Arg[];
  readonly reply: Reply | ((found: Reply) => boolean);
}

/** A client of a database of several shards, with keys of its own, whose every reply is known beforehand. */
export class ModelClient {
  readonly #name: string;
  readonly #dice: () => number;
  readonly #isSharded: boolean | "changes";
  readonly #values = new Map<string, string>();
  #turn = 0;

  /** `dice` gives numbers from 0 to 1; `isSharded`: the database has several shards, now or now and then. */
  constructor(name: string, dice: () => number, isSharded: boolean | "changes") {
    this.#name = name;
    this.#dice = dice;
    this.#isSharded = isSharded;
  }

  /** Up to `most` requests that are sent together. */
  pipeline(most: number): readonly Expected[] {
    return Array.from({ length: 1 + this.#pick(most) }, () => this.#next()).flat();
  }

  /** A whole number below `count`. */
  #pick(count: number): number {
    return Math.floor(this.#dice() * count);
  }

  #next(): Expected | readonly Expected[] {
    const kinds: readonly (() => Expected | readonly Expected[])[] = [
      ...[this.#set, this.#set, this.#set, this.#get, this.#get, this.#get, this.#get, this.#append],
      ...[this.#readAll, this.#readAll, this.#writeAll, this.#delete, this.#count, this.#fail, this.#cross, this.#echo],
      ...[this.#look, this.#block, this.#transact, this.#script, this.#loaded, this.#subscribe, this.#burst],
    ];
    return (kinds[this.#pick(kinds.length)] ?? this.#get).call(this);
  }

  /** 2 to 50 requests with one key that follow each other, at all shards: each key is read behind what it was given. */
  #burst(): readonly Expected[] {
    return Array.from({ length: 1 + this.#pick(25) }, () => {
      const key = this.#key();
      return [this.#dice() < 0.7 ? this.#write(key) : this.#read(key), this.#read(key)];
    }).flat();
  }

  #set(): Expected {
    return this.#write(this.#key());
  }

  #write(key: string): Expected {
    const value = this.#value();
    this.#values.set(key, value);
    return { request: ["SET", key, value], reply: "OK" };
  }

  #get(): Expected {
    return this.#read(this.#key());
  }

  #read(key: string): Expected {
    return { request: ["GET", key], reply: this.#values.get(key) ?? null };
  }

  #append(): Expected {
    const key = this.#key();
    const value = `${this.#values.get(key) ?? ""}+`;
    this.#values.set(key, value);
    return { request: ["APPEND", key, "+"], reply: value.length };
  }

  #readAll(): Expected {
    const keys = this.#keys();
    return { request: ["MGET", ...keys], reply: keys.map((key) => this.#values.get(key) ?? null) };
  }

  #writeAll(): Expected {
    const pairs = this.#keys().map((key) => [key, this.#value()] as const);
    for (const [key, value] of pairs) this.#values.set(key, value);
    return { request: ["MSET", ...pairs.flat()], reply: "OK" };
  }

  #delete(): Expected {
    const keys = this.#keys();
    const reply = keys.filter((key) => this.#values.delete(key)).length;
    return { request: [this.#dice() < 0.5 ? "DEL" : "UNLINK", ...keys], reply };
  }

  #count(): Expected {
    const keys = this.#keys();
    const reply = keys.filter((key) => this.#values.has(key)).length;
    return { request: [this.#dice() < 0.5 ? "EXISTS" : "TOUCH", ...keys], reply };
  }

  #fail(): Expected {
    const key = this.#key();
    if (this.#values.has(key))
      return {
        request: ["LPUSH", key, "x"],
        reply: "-WRONGTYPE Operation against a key holding the wrong kind of value",
      };
    return { request: ["MSET", key, "x", key], reply: "-ERR wrong number of arguments for 'mset' command" };
  }

  /** Two keys that no shard ever has, of two slots. */
  #cross(): Expected {
    const reply = this.#isSharded === "changes" ? isCrossing : this.#isSharded ? CROSSSLOT : [];
    return { request: ["SUNION", `none:{a}:${this.#name}`, `none:{b}:${this.#name}`], reply };
  }

  #echo(): Expected {
    const value = this.#value();
    return { request: ["ECHO", value], reply: value };
  }

  /** An element that is there, or a wait that ends soon. */
  #block(): Expected {
    const key = `none:${this.#name}:${this.#pick(8)}`;
    const isRead = this.#dice() < 0.5;
    const request = isRead ? ["XREAD", "BLOCK", 1, "STREAMS", key, "$"] : ["BLPOP", key, "0.001"];
    return { request, reply: null };
  }

  /** A transaction about keys of one slot; one that watches may not be executed when its shard moves, so it only reads. */
  #transact(): readonly Expected[] {
    const first = this.#key();
    const keys = [first, `{${first}}:a`, `{${first}}:b`];
    const isWatching = this.#dice() < 0.3;
    const before = isWatching ? [{ request: ["WATCH", first], reply: "OK" }, this.#get()] : [];
    const isFailing = this.#isSharded === true && this.#dice() < 0.1;
    const kept = new Map(this.#values);
    const queued = [this.#echo(), ...keys.map((key) => (isWatching ? this.#read(key) : this.#write(key)))];
    const inside = queued.map(({ request }) => ({ request, reply: "QUEUED" })).slice(this.#pick(2));
    const results = queued.slice(-inside.length).map(({ reply }) => reply);
    if (isFailing || this.#dice() < 0.1) this.#takeBack(kept);
    else
      return [
        ...[...before, { request: ["MULTI"], reply: "OK" }, ...inside],
        { request: ["EXEC"], reply: (found) => (isWatching && found === null) || isDeepStrictEqual(found, results) },
      ];
    const [failed, end] = isFailing
      ? [[this.#cross()], { request: ["EXEC"], reply: EXECABORT }]
      : [[], { request: ["DISCARD"], reply: "OK" }];
    return [...before, { request: ["MULTI"], reply: "OK" }, ...inside, ...failed, end];
  }

  #takeBack(kept: ReadonlyMap<string, string>): void {
    this.#values.clear();
    for (const [key, value] of kept) this.#values.set(key, value);
  }

  /** A script that this client has run before, or that each shard runs for the first time. */
  #script(): Expected {
    const key = this.#key();
    const value = this.#value();
    this.#values.set(key, value);
    return { request: ["EVAL", SCRIPT, 1, key, value], reply: value };
  }

  /** A script that some shard has run may be run by its digest at any. */
  #loaded(): readonly Expected[] {
    const [before, key] = [this.#script(), this.#key()];
    const value = this.#value();
    this.#values.set(key, value);
    return [before, { request: ["EVALSHA", DIGEST, 1, key, value], reply: value }];
  }

  /** What is between the two may not be asked with the old protocol, but for PING. */
  #subscribe(): readonly Expected[] {
    const [verb, channel] = [this.#dice() < 0.5 ? "SUBSCRIBE" : "PSUBSCRIBE", `none:${this.#name}`];
    const confirmed = (name: string, count: number): Expected => ({
      request: [name, channel],
      reply: [name.toLowerCase(), channel, count],
    });
    const pong = { request: ["PING"], reply: ["pong", ""] };
    return [confirmed(verb, 1), pong, confirmed(verb.replace("SUB", "UNSUB"), 0)];
  }

  /** What all shards are asked, or the proxy answers. */
  #look(): Expected {
    const looks: readonly Expected[] = [
      { request: ["RANDOMKEY"], reply: (found) => found === null || KEY.test(String(found)) },
      { request: ["SCAN", "0", "COUNT", 1], reply: isScanned },
      { request: ["HSCAN", `none:${this.#name}`, "0"], reply: ["0", []] },
      { request: ["INFO", "server"], reply: (found) => String(found).startsWith("# Server\r\n") },
      { request: ["SLOWLOG", "LEN"], reply: (found) => typeof found === "number" },
      { request: ["SCRIPT", "EXISTS", "0"], reply: [0] },
      { request: ["CLIENT", "GETNAME"], reply: null },
      // a former primary that refuses writes would publish it
      ...(this.#isSharded === "changes" ? [] : [{ request: ["PUBLISH", `none:${this.#pick(50)}`, "x"], reply: 0 }]),
      { request: ["SELECT", "x"], reply: "-ERR value is not an integer or out of range" },
    ];
    return looks[this.#pick(looks.length)] ?? this.#get();
  }

  #key(): string {
    return `${this.#name}:${this.#pick(50)}`;
  }

  #keys(): readonly string[] {
    return Array.from({ length: 1 + this.#pick(8) }, () => this.#key());
  }

  #value(): string {
    this.#turn += 1;
    const length = this.#pick(40) === 0 ? 5_000 + this.#pick(75_000) : this.#pick(100);
    return `${this.#name}-${this.#turn}-${"v".repeat(length)}`;
  }
}

const SCRIPT = "redis.call('set', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])";
const DIGEST = shaOf(Buffer.from(SCRIPT));
const KEY = /^\{?\d+:\d+:\d+(?:\}:[ab])?$/;
const CROSSSLOT = "-CROSSSLOT Keys in request don't hash to the same slot";
const EXECABORT = "-EXECABORT Transaction discarded because of previous errors.";

function isScanned(found: Reply): boolean {
  if (!Array.isArray(found)) return false;
  const [cursor, keys] = found;
  return /^\d+$/.test(String(cursor)) && Array.isArray(keys) && keys.every((key) => KEY.test(String(key)));
}

/** What two keys of two slots get, whether there are several shards or one. */
function isCrossing(found: Reply): boolean {
  return found === CROSSSLOT || isDeepStrictEqual(found, []);
}
