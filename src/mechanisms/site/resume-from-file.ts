import { randomUUID } from "node:crypto";
import type { Log } from "../../core/base/log.ts";
import { Fault } from "../../core/base/fault.ts";
import { argumentsOf } from "../../ports/resp/command-frame.ts";
import { faults } from "../../ports/resp/faults.ts";
import type { StreamCommand, StreamEvent } from "../../ports/resp/replication-stream.ts";
import { AppendOnlyFile, type FileCommand, type FilePlace } from "./append-only-file.ts";
import { fileBytes } from "./file-bytes.ts";
import { LINK_DATABASE, markOf } from "./marks.ts";
import { numberIn, type Place } from "./saved-log.ts";
import { readAt, type TransactionContext } from "./transaction.ts";

export interface ResumeOptions extends TransactionContext {
  /** Where the engine keeps its append-only file; undefined where it cannot be read. */
  readonly appendOnlyFolder: string | undefined;
  readonly log: Log;
}

/** How long an engine may take until a command that it has executed is in the file, in milliseconds: it waits for a disk that is slow. */
const APPENDED_MS = 10_000;

/**
 * Goes on where an earlier stream ended: with what the engine has appended to its file since the place, and then with the stream that is
 * attached. Undefined when the file does not say for sure what came after the place.
 */
export async function resumeFromFile(
  options: ResumeOptions,
  place: Place,
  stream: AsyncGenerator<StreamEvent>,
): Promise<AsyncGenerator<StreamEvent> | undefined> {
  const { appendOnlyFolder: folder, clock, log, signal } = options;
  if (folder === undefined || place.anchor === undefined) return undefined;
  const mark = `file:${randomUUID()}`;
  await readAt(options, mark, []);
  try {
    await using stack = new AsyncDisposableStack();
    const file = stack.use(await AppendOnlyFile.open(folder, clock, signal));
    const from = await findPlace(file, place, mark);
    if (from === undefined) return undefined;
    return joined(stack.move(), replayed(file, from), stream, mark);
  } catch (error) {
    signal.throwIfAborted();
    log.warn("the append-only file of the primary cannot be read", { error, folder });
    return undefined;
  }
}

/** Where the place is in the file; undefined unless the file has it, and after it all up to the mark. */
async function findPlace(file: AppendOnlyFile, place: Place, mark: string): Promise<FilePlace | undefined> {
  const search = new PlaceSearch(place);
  for await (const commands of file.commands(undefined, () => (search.found === undefined ? 0 : APPENDED_MS)))
    for (const command of commands) {
      search.pass(command);
      if (search.found !== undefined && ownTextIn(command, mark, markOf) === mark) return search.found;
    }
  return undefined;
}

/** Finds the last own write before a place, and counts from there. */
class PlaceSearch {
  readonly #place: Place;
  readonly #needle: string;
  #written: number | undefined;
  #found: FilePlace | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.#needle = `"number":${place.anchor?.number ?? ""}`;
  }

  /** Undefined before it, and when commands do not end there. */
  get found(): FilePlace | undefined {
    return this.#found;
  }

  pass(command: FileCommand): void {
    const { anchor, written } = this.#place;
    if (ownTextIn(command, this.#needle, numberIn) === anchor?.number) {
      this.#written = anchor?.written;
      this.#found = undefined;
    } else if (this.#written !== undefined) this.#written += fileBytes(command.name, command.frame.length);
    if (this.#found === undefined && this.#written === written) this.#found = command.end;
  }
}

/** What the link wrote with that command; undefined of another one, and without the text: only what may be meant is decoded. */
function ownTextIn<T>(
  { name, frame, database }: FileCommand,
  text: string,
  read: (args: readonly string[], database: number) => T | undefined,
): T | undefined {
  return database === LINK_DATABASE && OWN.has(name) && frame.includes(text)
    ? read(argumentsOf(frame), database)
    : undefined;
}

const OWN: ReadonlySet<string> = new Set(["SET", "RPUSH", "HSET"]);

async function* replayed(file: AppendOnlyFile, from: FilePlace): AsyncGenerator<StreamCommand> {
  for await (const commands of file.commands(from, () => APPENDED_MS))
    for (const { frame, database } of commands)
      yield { kind: "command", args: argumentsOf(frame), database, bytes: frame.length, replicationId: "", offset: 0 };
}

/** The file up to the transaction with the mark, and the stream from there. */
async function* joined(
  opened: AsyncDisposableStack,
  commands: AsyncGenerator<StreamCommand>,
  stream: AsyncGenerator<StreamEvent>,
  mark: string,
): AsyncGenerator<StreamEvent> {
  await using _opened = opened;
  const inFile = new Passage(mark);
  for await (const command of commands) {
    yield command;
    if (inFile.passes(command)) break;
  }
  if (!inFile.isOver) throw new Fault(faults.closed, "The append-only file of the primary ends before its mark.");
  const inStream = new Passage(mark);
  while (!inStream.isOver) {
    const { done, value } = await stream.next();
    if (done === true) return;
    if (value.kind === "command") inStream.passes(value);
  }
  yield* stream;
}

/** Waits for the end of the transaction with a mark. */
class Passage {
  readonly #mark: string;
  #isInside = false;
  isOver = false;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** True of the command that ends it. */
  passes({ args, database }: StreamCommand): boolean {
    this.#isInside ||= markOf(args, database) === this.#mark;
    this.isOver = this.#isInside && args[0]?.toUpperCase() === "EXEC";
    return this.isOver;
  }
}
