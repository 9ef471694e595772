import { exactly, kept, wrongType, type Entry, type Expected, type Handler } from "./expected.ts";

/** Hashes, lists, sets and sorted sets. An empty one is no key. */
export const COLLECTIONS: Readonly<Record<string, Handler>> = {
  HSET: (entry, [, ...pairs]) =>
    onHash(entry, (fields) => {
      const names = new Set(pairs.filter((_, at) => at % 2 === 0));
      const added = [...names].filter((name) => !fields.has(name)).length;
      return exactly(added, () => {
        for (let at = 0; at < pairs.length; at += 2) fields.set(pairs[at] ?? "", pairs[at + 1] ?? "");
        return kept(entry, { kind: "hash", fields });
      });
    }),
  HGET: (entry, [, name = ""]) => onHash(entry, (fields) => exactly(fields.get(name) ?? null, () => entry)),
  HLEN: (entry) => onHash(entry, (fields) => exactly(fields.size, () => entry)),
  HDEL: (entry, [, name = ""]) =>
    onHash(entry, (fields) =>
      exactly(fields.has(name) ? 1 : 0, () => {
        fields.delete(name);
        return fields.size === 0 ? undefined : entry;
      }),
    ),
  HINCRBY: (entry, [, name = "", by = ""]) =>
    onHash(entry, (fields) => {
      const sum = Number(fields.get(name) ?? 0) + Number(by);
      return exactly(sum, () => kept(entry, { kind: "hash", fields: fields.set(name, String(sum)) }));
    }),
  RPUSH: (entry, [, ...more]) =>
    onList(entry, (items) =>
      exactly(items.length + more.length, () => {
        items.push(...more);
        return kept(entry, { kind: "list", items });
      }),
    ),
  LPOP: (entry) => onList(entry, (items) => popped(entry, items, items[0], () => items.shift())),
  RPOP: (entry) => onList(entry, (items) => popped(entry, items, items.at(-1), () => items.pop())),
  BLPOP: (entry, [key = ""]) => onList(entry, (items) => waited(entry, items, key, items[0], () => items.shift())),
  BRPOP: (entry, [key = ""]) => onList(entry, (items) => waited(entry, items, key, items.at(-1), () => items.pop())),
  LLEN: (entry) => onList(entry, (items) => exactly(items.length, () => entry)),
  LINDEX: (entry, [, at = ""]) => onList(entry, (items) => exactly(items.at(Number(at)) ?? null, () => entry)),
  LRANGE: (entry, [, from = "", to = ""]) =>
    onList(entry, (items) => exactly(items.slice(Number(from), Number(to) + 1), () => entry)),
  LSET: (entry, [, at = "", item = ""]) =>
    onList(entry, (items) =>
      exactly("OK", () => {
        items[Number(at)] = item;
        return entry;
      }),
    ),
  SADD: (entry, [, ...more]) =>
    onSet(entry, (members) =>
      exactly(new Set(more).difference(members).size, () => {
        for (const each of more) members.add(each);
        return kept(entry, { kind: "set", members });
      }),
    ),
  SREM: (entry, [, member = ""]) =>
    onSet(entry, (members) => exactly(members.has(member) ? 1 : 0, () => without(entry, members, member))),
  SCARD: (entry) => onSet(entry, (members) => exactly(members.size, () => entry)),
  SISMEMBER: (entry, [, member = ""]) => onSet(entry, (members) => exactly(members.has(member) ? 1 : 0, () => entry)),
  SPOP: (entry) =>
    onSet(entry, (members) => ({
      text: members.size === 0 ? "null" : "a member",
      fits: (reply) => (members.size === 0 ? reply === null : typeof reply === "string" && members.has(reply)),
      after: (reply) => without(entry, members, reply),
    })),
  ZADD: (entry, [, ...pairs]) =>
    onScores(entry, (scores) => {
      const members = new Set(pairs.filter((_, at) => at % 2 === 1));
      const added = [...members].filter((member) => !scores.has(member)).length;
      return exactly(added, () => {
        for (let at = 0; at < pairs.length; at += 2) scores.set(pairs[at + 1] ?? "", Number(pairs[at]));
        return kept(entry, { kind: "zset", scores });
      });
    }),
  ZINCRBY: (entry, [, by = "", member = ""]) =>
    onScores(entry, (scores) => {
      const sum = (scores.get(member) ?? 0) + Number(by);
      return exactly(String(sum), () => kept(entry, { kind: "zset", scores: scores.set(member, sum) }));
    }),
  ZSCORE: (entry, [, member = ""]) =>
    onScores(entry, (scores) => exactly(scores.get(member)?.toString() ?? null, () => entry)),
  ZCARD: (entry) => onScores(entry, (scores) => exactly(scores.size, () => entry)),
  ZRANK: (entry, [, member = ""]) =>
    onScores(entry, (scores) => exactly(scores.has(member) ? ranked(scores).indexOf(member) : null, () => entry)),
  ZRANGE: (entry, [, from = "", to = ""]) =>
    onScores(entry, (scores) => exactly(ranked(scores).slice(Number(from), Number(to) + 1), () => entry)),
  ZPOPMIN: (entry) =>
    onScores(entry, (scores) => {
      const [least] = ranked(scores);
      return exactly(least === undefined ? [] : [least, String(scores.get(least))], () => {
        if (least !== undefined) scores.delete(least);
        return scores.size === 0 ? undefined : entry;
      });
    }),
};

/** By score, and by name where scores are the same. */
function ranked(scores: ReadonlyMap<string, number>): readonly string[] {
  const byName = ([a, one]: [string, number], [b, other]: [string, number]): number =>
    one - other || (a < b ? -1 : Number(a > b));
  return [...scores].toSorted(byName).map(([member]) => member);
}

function popped(
  entry: Entry | undefined,
  items: readonly string[],
  item: string | undefined,
  pop: () => void,
): Expected {
  return exactly(item ?? null, () => rest(entry, items, pop));
}

function rest(entry: Entry | undefined, items: readonly string[], pop: () => void): Entry | undefined {
  pop();
  return items.length === 0 ? undefined : entry;
}

/** No other client pushes: an empty list stays empty until the time is over. */
function waited(
  entry: Entry | undefined,
  items: readonly string[],
  key: string,
  item: string | undefined,
  pop: () => void,
): Expected {
  return exactly(item === undefined ? null : [key, item], () => rest(entry, items, pop));
}

function without(entry: Entry | undefined, members: Set<string>, member: unknown): Entry | undefined {
  if (typeof member === "string") members.delete(member);
  return members.size === 0 ? undefined : entry;
}

function onHash(entry: Entry | undefined, expected: (fields: Map<string, string>) => Expected): Expected {
  if (entry === undefined) return expected(new Map());
  return entry.value.kind === "hash" ? expected(entry.value.fields) : wrongType(entry);
}

function onList(entry: Entry | undefined, expected: (items: string[]) => Expected): Expected {
  if (entry === undefined) return expected([]);
  return entry.value.kind === "list" ? expected(entry.value.items) : wrongType(entry);
}

function onSet(entry: Entry | undefined, expected: (members: Set<string>) => Expected): Expected {
  if (entry === undefined) return expected(new Set());
  return entry.value.kind === "set" ? expected(entry.value.members) : wrongType(entry);
}

function onScores(entry: Entry | undefined, expected: (scores: Map<string, number>) => Expected): Expected {
  if (entry === undefined) return expected(new Map());
  return entry.value.kind === "zset" ? expected(entry.value.scores) : wrongType(entry);
}
