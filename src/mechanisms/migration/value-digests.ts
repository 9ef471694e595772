import { createHash, type Hash } from "node:crypto";
import { byteStringOf, listOf, type Reply } from "../../ports/resp/reply.ts";
import type { Arg } from "../../ports/resp/encode.ts";
import type { KeyReader } from "./key-reader.ts";

/** Digests of keys, with their types and times of expiry, that are the same for the same value in whichever engine; undefined for a key that is not there. */
export async function digestsOf(
  reader: KeyReader,
  database: number,
  keys: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const heads = await headsOf(reader, database, keys);
  const isSmall = ({ type, bytes }: Head): boolean => type !== "none" && bytes <= SMALL_BYTES;
  const small = keys.flatMap((key, at) => (heads[at] !== undefined && isSmall(heads[at]) ? [{ key, at }] : []));
  const asked = small.map(({ key, at }) => wholeOf(key, heads[at]?.type ?? ""));
  const replies = await reader.ask(database, asked.flat());
  const digests: (string | undefined)[] = keys.map(() => undefined);
  let next = 0;
  for (const [index, { at }] of small.entries()) {
    const count = asked[index]?.length ?? 0;
    digests[at] = digestOfWhole(heads[at], replies.slice(next, next + count));
    next += count;
  }
  for (const [at, key] of keys.entries()) {
    const head = heads[at];
    if (head === undefined || head.type === "none" || isSmall(head)) continue;
    digests[at] = await digestInParts(reader, database, key, head);
  }
  return digests;
}

/** What is asked of a key first. */
interface Head {
  readonly type: string;
  readonly expiresAt: string;
  readonly bytes: number;
}

async function headsOf(reader: KeyReader, database: number, keys: readonly string[]): Promise<readonly Head[]> {
  const replies = await reader.ask(
    database,
    keys.flatMap((key) => [
      ["TYPE", key],
      ["PEXPIRETIME", key],
      ["MEMORY", "USAGE", key],
    ]),
  );
  return keys.map((_, at) => ({
    type: byteStringOf(replies[3 * at] ?? ""),
    expiresAt: String(replies[3 * at + 1]),
    bytes: Number(replies[3 * at + 2] ?? 0),
  }));
}

function wholeOf(key: string, type: string): readonly (readonly Arg[])[] {
  switch (type) {
    case "string":
      return [["GET", key]];
    case "list":
      return [["LRANGE", key, 0, -1]];
    case "set":
      return [["SMEMBERS", key]];
    case "hash":
      return [["HGETALL", key]];
    case "zset":
      return [["ZRANGE", key, 0, -1, "WITHSCORES"]];
    case "stream":
      return [["XRANGE", key, "-", "+"], ...aboutStream(key)];
    default:
      return [["DUMP", key]];
  }
}

function aboutStream(key: string): readonly (readonly Arg[])[] {
  return [
    ["XINFO", "STREAM", key],
    ["XINFO", "GROUPS", key],
  ];
}

/** Undefined when the key has gone since it was asked for first. */
function digestOfWhole(head: Head | undefined, [reply = null, ...more]: readonly Reply[]): string | undefined {
  if (head === undefined || reply === null) return undefined;
  const content = new Content(head);
  content.add(reply);
  if (head.type === "stream") content.addAbout(more);
  return content.digest;
}

/** A value that is large, as much at a time as is read at once. */
async function digestInParts(reader: KeyReader, database: number, key: string, head: Head): Promise<string> {
  const content = new Content(head);
  const perPart = await elementsPerPart(reader, database, key, head);
  for (let from: string | undefined = FIRST[head.type] ?? "0"; from !== undefined;) {
    const [reply = null] = await reader.ask(database, [partOf(key, head.type, from, perPart)]);
    from = content.addPart(reply, from, perPart);
  }
  if (head.type === "stream") content.addAbout(await reader.ask(database, aboutStream(key)));
  return content.digest;
}

async function elementsPerPart(
  reader: KeyReader,
  database: number,
  key: string,
  { type, bytes }: Head,
): Promise<number> {
  const counts = COUNTS[type];
  if (counts === undefined) return PART_BYTES;
  const [count = 0] = await reader.ask(database, [[counts, key]]);
  return Math.max(1, Math.floor((PART_BYTES * Math.max(1, Number(count))) / bytes));
}

function partOf(key: string, type: string, from: string, count: number): readonly Arg[] {
  switch (type) {
    case "string":
      return ["GETRANGE", key, from, Number(from) + count - 1];
    case "list":
      return ["LRANGE", key, from, Number(from) + count - 1];
    case "set":
      return ["SSCAN", key, from, "COUNT", count];
    case "hash":
      return ["HSCAN", key, from, "COUNT", count];
    case "zset":
      return ["ZSCAN", key, from, "COUNT", count];
    case "stream":
      return ["XRANGE", key, from, "+", "COUNT", count];
    default:
      return ["DUMP", key];
  }
}

/** The digest of a value while its parts come: of elements without an order it is the same in whichever order they come. */
class Content {
  readonly #head: Head;
  readonly #inOrder: Hash = createHash("sha256");
  readonly #unordered = Buffer.alloc(DIGEST_BYTES);

  constructor(head: Head) {
    this.#head = head;
  }

  get digest(): string {
    const { type, expiresAt } = this.#head;
    return `${type} ${expiresAt} ${this.#inOrder.digest("hex")} ${this.#unordered.toString("hex")}`;
  }

  /** Elements, or bytes of a string. */
  add(reply: Reply): void {
    const { type } = this.#head;
    if (reply instanceof Uint8Array) this.#inOrder.update(reply);
    else if (type === "list" || type === "stream") this.#inOrder.update(textOfAll(reply));
    else this.#addUnordered(elementsIn(reply), type === "set" ? 1 : 2);
  }

  /** Where the next part begins; undefined when this was the last one. */
  addPart(reply: Reply, from: string, count: number): string | undefined {
    switch (this.#head.type) {
      case "string":
        this.add(reply);
        return reply instanceof Uint8Array && reply.length === count ? String(Number(from) + count) : undefined;
      case "list":
        this.add(reply);
        return elementsIn(reply).length === count ? String(Number(from) + count) : undefined;
      case "stream": {
        this.add(reply);
        const last = elementsIn(reply).at(-1);
        return last === undefined ? undefined : `(${byteStringOf(elementsIn(last)[0] ?? "")}`;
      }
      case "set":
      case "hash":
      case "zset": {
        const [cursor = null, elements = null] = elementsIn(reply);
        this.add(elements);
        const next = byteStringOf(cursor);
        return next === "0" ? undefined : next;
      }
      default:
        this.add(reply ?? "");
        return undefined;
    }
  }

  /** What a stream says of itself and its groups. */
  addAbout([about = null, groups = null]: readonly Reply[]): void {
    const ofStream = fieldsIn(about, ["length", "last-generated-id", "max-deleted-entry-id", "entries-added"]);
    const ofGroups = elementsIn(groups).map((group) =>
      fieldsIn(group, ["name", "consumers", "pending", "last-delivered-id"]),
    );
    this.#inOrder.update([ofStream, ...ofGroups.toSorted()].join("\n"));
  }

  #addUnordered(elements: readonly Reply[], width: 1 | 2): void {
    for (let at = 0; at < elements.length; at += width) {
      const [name = null, second = null] = elements.slice(at, at + width);
      const value = this.#head.type === "zset" ? scoreText(second) : second;
      const digest = createHash("sha256")
        .update(textOfAll([name, value]))
        .digest();
      for (let byte = 0; byte < DIGEST_BYTES; byte++)
        this.#unordered[byte] = (this.#unordered[byte] ?? 0) ^ (digest[byte] ?? 0);
    }
  }
}

/** None where the key has become another meanwhile. */
function elementsIn(reply: Reply): readonly Reply[] {
  return reply === null ? [] : listOf(reply);
}

/** Engines write the same score in several ways. */
function scoreText(score: Reply): string {
  const text = byteStringOf(score);
  return Number.isNaN(Number(text)) ? text : String(Number(text));
}

/** Each element with its length before it, so that no two lists have the same. */
function textOfAll(reply: Reply): string {
  if (!Array.isArray(reply)) {
    const text = byteStringOf(reply);
    return `${text.length} ${text}`;
  }
  return reply.map(textOfAll).join("");
}

function fieldsIn(reply: Reply, names: readonly string[]): string {
  const words = elementsIn(reply);
  return names
    .map((name) =>
      byteStringOf(words[words.findIndex((word, at) => at % 2 === 0 && byteStringOf(word) === name) + 1] ?? ""),
    )
    .join(" ");
}

const DIGEST_BYTES = 32;
/** Values of more bytes are read by themselves. */
const SMALL_BYTES = 32_768;
const PART_BYTES = 1024 * 1024;
const FIRST: Readonly<Record<string, string>> = { stream: "-" };
const COUNTS: Readonly<Record<string, string>> = {
  list: "LLEN",
  set: "SCARD",
  hash: "HLEN",
  zset: "ZCARD",
  stream: "XLEN",
};
