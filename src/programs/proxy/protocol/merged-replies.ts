import { FrameScanner } from "../../../ports/resp/frame-scanner.ts";
import { arrayReply, integerReply, replies as known } from "./replies.ts";

/** Whole replies of several shards to parts of one request, made to the reply to the request. An error of one of them is the reply. */
type Merge = (replies: readonly Buffer[]) => Buffer;

/** The sum of integers. */
export const mergeSums: Merge = unlessFailed((replies) =>
  integerReply(replies.reduce((sum, reply) => sum + integerIn(reply), 0)),
);

/** OK, as all of them are. */
export const mergeOks: Merge = unlessFailed(() => known.ok);

/** The elements of all arrays, one array behind the other. */
export const mergeArrays: Merge = unlessFailed((replies) => arrayReply(replies.flatMap(elementsOf)));

/** Names, with a number behind each, which is added. */
export const mergeCounts: Merge = unlessFailed((replies) => {
  const all = replies.map(elementsOf);
  const added = (at: number): Buffer =>
    integerReply(all.reduce((sum, elements) => sum + integerIn(elements[at] ?? ZERO), 0));
  return arrayReply((all[0] ?? []).map((element, at) => (at % 2 === 0 ? element : added(at))));
});

/** The lowest integer. */
export const mergeLeast: Merge = unlessFailed((replies) => integerReply(Math.min(...replies.map(integerIn))));

/** An array of integers, the lowest of each place. */
export const mergeLeastOfEach: Merge = unlessFailed((replies) => {
  const all = replies.map(elementsOf);
  return arrayReply(
    (all[0] ?? []).map((_, at) => integerReply(Math.min(...all.map((elements) => integerIn(elements[at] ?? ZERO))))),
  );
});

/** An array of 1 for each place at which all have 1, or one has and the database `knows` what the place stands for, and of 0. */
export function mergeScripts(knows: (at: number) => boolean): Merge {
  return unlessFailed((replies) => {
    const all = replies.map(elementsOf);
    const hasScript = (flags: readonly Buffer[], at: number): boolean => flags[at]?.equals(ONE) === true;
    return arrayReply(
      (all[0] ?? []).map((_, at) => {
        const having = all.filter((flags) => hasScript(flags, at)).length;
        return integerReply(having === all.length || (having > 0 && knows(at)) ? 1 : 0);
      }),
    );
  });
}

/** The reply of one that has no error, if there is one. */
export const mergeFound: Merge = (replies) => replies.find((reply) => reply[0] !== MINUS) ?? replies[0] ?? NONE;

/** The reply of one that runs something, as its second element says. */
export const mergeRunning: Merge = unlessFailed(
  (replies) =>
    replies.find((reply) => !NULLS.has(elementsOf(reply)[1]?.toString("latin1") ?? "")) ?? replies[0] ?? NONE,
);

/** The reply of one of them, as all are alike. */
export const mergeFirst: Merge = unlessFailed(([first = NONE]) => first);

/** The entries of logs, the newest first, `count` of them or all; an entry begins with its number and its time. */
export function mergeNewest(count: number): Merge {
  return unlessFailed((replies) => {
    const entries = replies.flatMap(elementsOf).map((entry) => ({ entry, at: timeOf(entry) }));
    const sorted = entries.sort((one, other) => other.at - one.at).map(({ entry }) => entry);
    return arrayReply(count < 0 ? sorted : sorted.slice(0, count));
  });
}

/** One text of those of all shards, in the form of the first: a bulk string, or one that says that it is text. */
export function mergeTexts(merge: (texts: readonly string[]) => string): Merge {
  return unlessFailed((replies) => {
    const isVerbatim = replies[0]?.[0] === VERBATIM;
    const text = merge(replies.map((reply) => textIn(reply, isVerbatim)));
    const bytes = Buffer.from(isVerbatim ? `${TEXT}${text}` : text, "latin1");
    return Buffer.concat([Buffer.from(`${isVerbatim ? "=" : "$"}${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
  });
}

/** Each text, behind a line with the number of its shard. */
export function numberTexts(texts: readonly string[]): string {
  return texts.map((text, at) => `# Shard ${at + 1}\r\n${text}`).join("\r\n");
}

/**
 * A key of one of the shards, each of which has said how many keys it has and then named one of them: `dice`, from 0 to 1, says which, so that
 * each key of the database is named alike.
 */
export function mergeRandom(dice: number): Merge {
  return unlessFailed((replies) => {
    const shards = replies.flatMap((size, at) => {
      const key = replies[at + 1];
      return at % 2 === 1 || key === undefined
        ? []
        : [{ size: NULLS.has(key.toString("latin1")) ? 0 : integerIn(size), key }];
    });
    let left = dice * shards.reduce((sum, { size }) => sum + size, 0);
    const chosen = shards.find(({ size }) => (left -= size) < 0);
    return chosen?.key ?? replies[1] ?? NONE;
  });
}

/** An array of so many elements, those of each reply at the places that the request has them at. */
export function mergeAt(places: readonly (readonly number[])[], count: number): Merge {
  return unlessFailed((replies) => {
    const placed = new Array<Buffer>(count).fill(NONE);
    for (const [part, reply] of replies.entries())
      for (const [at, element] of elementsOf(reply).entries()) placed[places[part]?.[at] ?? 0] = element;
    return arrayReply(placed);
  });
}

function unlessFailed(merge: Merge): Merge {
  return (replies) => replies.find((reply) => reply[0] === MINUS) ?? merge(replies);
}

function integerIn(reply: Buffer): number {
  return Number(reply.toString("latin1", 1, reply.length - LINE_END));
}

function timeOf(entry: Buffer): number {
  return Number(/^\*\d+\r\n:\d+\r\n:(\d+)/.exec(entry.toString("latin1", 0, LONGEST_HEAD))?.[1] ?? 0);
}

function textIn(reply: Buffer, isVerbatim: boolean): string {
  const begin = reply.indexOf(LF) + 1 + (isVerbatim ? TEXT.length : 0);
  return reply.toString("latin1", begin, reply.length - LINE_END);
}

/** The elements of an array, encoded. */
function elementsOf(reply: Buffer): readonly Buffer[] {
  const elements: Buffer[] = [];
  const scanner = new FrameScanner({ maxFrameBytes: reply.length });
  for (let at = reply.indexOf(LF) + 1; at < reply.length;) {
    const past = scanner.next(reply, at, reply.length);
    elements.push(reply.subarray(at, past));
    at = past;
  }
  return elements;
}

const [MINUS, LF, VERBATIM] = [45, 10, 61];
/** What a text that says so begins with. */
const TEXT = "txt:";
/** Of an entry of a log, with its number and its time. */
const LONGEST_HEAD = 64;
/** None, in both versions of the protocol. */
const NULLS: ReadonlySet<string> = new Set(["$-1\r\n", "*-1\r\n", "_\r\n"]);
const [ZERO, ONE] = [integerReply(0), integerReply(1)];
const LINE_END = 2;
const NONE = Buffer.alloc(0);
