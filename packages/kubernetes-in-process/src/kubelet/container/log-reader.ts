import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { LogFile } from "./log-file.ts";
import { olderPart } from "./log-file.ts";

/** What to print of a log, with the times already worked out. */
export interface LogQuery {
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly since: Date | undefined;
  readonly limitBytes: number | undefined;
}

/** One entry of a log file. */
interface Entry {
  readonly time: string;
  /** False for a piece of a line that goes on in the next entry. */
  readonly ends: boolean;
  readonly text: Buffer;
}

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/**
 * The output that is in the log at `path`; with `live`, also what it gets from now on, until the run ends or the signal
 * aborts.
 */
export async function* readLog(
  path: string,
  query: LogQuery,
  live: LogFile | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let left = query.limitBytes ?? Infinity;
  let begins = true;
  for await (const entry of selectEntries(path, query, live, signal)) {
    const printed = print(entry, query.timestamps && begins).subarray(0, left);
    begins = entry.ends;
    left -= printed.length;
    yield printed;
    if (left <= 0) return;
  }
}

async function* selectEntries(
  path: string,
  query: LogQuery,
  live: LogFile | undefined,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const past = new LogCursor(path);
  try {
    const entries = [...(await entriesOf(olderPart(path))), ...(await past.rest())];
    const recent = entries.filter(({ time }) => query.since === undefined || new Date(time) >= query.since);
    yield* query.tailLines === undefined ? recent : lastLines(recent, query.tailLines);
    if (live !== undefined) yield* followLog(live, past, signal);
  } finally {
    await past.close();
  }
}

async function* followLog(live: LogFile, cursor: LogCursor, signal: AbortSignal): AsyncGenerator<Entry> {
  while (!signal.aborted) {
    const state = live.state();
    const isRotated = await cursor.isReplaced();
    yield* await cursor.rest();
    if (isRotated) await cursor.reopen();
    else if (state.closed) return;
    else await live.changed(state, signal);
  }
}

/** Reads a growing file from where it last stopped, whole entries only. */
class LogCursor {
  readonly #path: string;
  #file: FileHandle | undefined;
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async rest(): Promise<Entry[]> {
    this.#file ??= await unlessMissing(open(this.#path, "r"));
    if (this.#file === undefined) return [];
    const chunks: Buffer[] = [];
    for (let at = this.#position; ;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(CHUNK), 0, CHUNK, at);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
    const bytes = Buffer.concat(chunks);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    this.#position += whole;
    return parse(bytes.subarray(0, whole));
  }

  /** Whether another file has taken the place of the one that is open, or is about to; it then grows no more. */
  async isReplaced(): Promise<boolean> {
    if (this.#file === undefined) return false;
    const [open, present] = await Promise.all([this.#file.stat(), unlessMissing(stat(this.#path))]);
    return open.ino !== present?.ino;
  }

  async reopen(): Promise<void> {
    await this.close();
    this.#position = 0;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

async function entriesOf(path: string): Promise<Entry[]> {
  const cursor = new LogCursor(path);
  try {
    return await cursor.rest();
  } finally {
    await cursor.close();
  }
}

async function unlessMissing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function parse(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, from);
    entries.push(entryOf(bytes.subarray(from, end)));
    from = end + 1;
  }
  return entries;
}

/** `<time> <stream> <F|P> <text>` */
function entryOf(line: Buffer): Entry {
  const afterTime = line.indexOf(SPACE) + 1;
  const afterStream = line.indexOf(SPACE, afterTime) + 1;
  return {
    time: line.toString("latin1", 0, afterTime - 1),
    ends: line.toString("latin1", afterStream, afterStream + 1) === "F",
    text: line.subarray(afterStream + 2),
  };
}

function lastLines(entries: readonly Entry[], count: number): readonly Entry[] {
  let lines = 0;
  for (let at = entries.length - 1; at >= 0; at--) {
    if (entries[at]?.ends === true && ++lines > count) return entries.slice(at + 1);
  }
  return entries;
}

function print({ time, ends, text }: Entry, timestamps: boolean): Buffer {
  return Buffer.concat([Buffer.from(timestamps ? `${time} ` : ""), text, Buffer.from(ends ? "\n" : "")]);
}
