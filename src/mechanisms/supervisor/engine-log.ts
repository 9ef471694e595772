import { lstat, rename } from "node:fs/promises";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { existingFile, openSharedFile } from "#kit/files/shared-file";
import type { EngineFiles } from "./engine-config.ts";

type LogFile = Pick<EngineFiles, "logFile">;

/** An engine writes its log into a file of about this size at most, and one more is kept. */
const LIMIT_BYTES = 1024 * 1024;
/** The time between two looks, in milliseconds: a script can write as fast as the disk takes it. A log that does not grow is read less often. */
const CHECK_MS = { written: 1_000, quiet: 5_000 } as const;
const TAIL_BYTES = 64 * 1024;

/** Keeps the log of a running engine from filling the disk, until the signal aborts. Clients write into it by `redis.log`. */
export async function keepLogBounded(
  files: LogFile,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  let said = "";
  let size = 0;
  while (!signal.aborted) {
    const before = size;
    try {
      // the directory may go with its instance
      size = (await unlessMissing(boundLog(files))) ?? 0;
    } catch (error) {
      if (messageOf(error) !== said) log.warn("the log of an engine cannot be kept short", { error: messageOf(error) });
      said = messageOf(error);
    }
    const pause = size === before ? CHECK_MS.quiet : CHECK_MS.written;
    await clock.sleep(pause, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
}

/**
 * Makes a log that is too long the former one, and keeps its beginning, which says how the flood began. Answers with the bytes of the log as it
 * was found.
 */
export async function boundLog({ logFile }: LogFile): Promise<number> {
  const size = await sizeOf(logFile);
  if (size <= LIMIT_BYTES) return size;
  const former = `${logFile}.old`;
  // an engine opens the file for each line
  await rename(logFile, former);
  await using file = await openSharedFile(former, "write");
  await file.truncate(LIMIT_BYTES);
  return size;
}

/** The last warnings of the process that wrote last into the log, in one line of at most 400 characters; empty when it wrote none. */
export async function lastWarnings({ logFile }: LogFile): Promise<string> {
  const lines = (await tailOf(logFile)).trimEnd().split("\n").slice(-20);
  const writer = processOf(lines.at(-1) ?? "");
  const warnings = lines.filter((line) => / # /.test(line) && processOf(line) === writer);
  const texts = warnings.map((line) => line.slice(line.indexOf(" # ") + 3).trim());
  // one more than the last two where it has room: what an engine warns of at each start is long, and no reason for its end
  const fitting = [3, 2].map((count) => texts.slice(-count).join("; ")).find((words) => words.length <= LONGEST);
  return fitting ?? (texts.at(-1) ?? "").slice(0, LONGEST);
}

/** So long the last words may be. */
const LONGEST = 400;

/** True when an engine has said as its last words that it cannot read what it has stored. */
export function cannotReadItsFiles(lastWords: string): boolean {
  return /Internal error in RDB reading|Short read or OOM loading DB|Wrong signature trying to load DB|Can't handle RDB format|Fatal error loading the DB|reading the append only file/.test(
    lastWords,
  );
}

/** A line begins with the process that wrote it: `303:S 28 Nov …`. */
function processOf(line: string): string {
  return line.slice(0, line.indexOf(":"));
}

/** Empty when there is none, also where an engine has put something else in its place. */
async function tailOf(path: string): Promise<string> {
  if (!(await isFile(path))) return "";
  await using file = await existingFile(path);
  if (file === undefined) return "";
  const { size } = await file.stat();
  const length = Math.min(size, TAIL_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.toString("utf8", 0, bytesRead);
}

async function sizeOf(path: string): Promise<number> {
  return (await unlessMissing(lstat(path)))?.size ?? 0;
}

async function isFile(path: string): Promise<boolean> {
  return (await unlessMissing(lstat(path)))?.isFile() === true;
}

/** Undefined when there is no such file. */
async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
