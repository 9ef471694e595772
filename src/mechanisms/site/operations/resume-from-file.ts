import { randomUUID } from "node:crypto";
import type { Log } from "#kit/base/log";
import { Fault } from "#kit/base/fault";
import { faults } from "../../../ports/resp/faults.ts";
import { readNotedSizes } from "#kit/files/noted-sizes";
import type { StreamCommand } from "../../../ports/resp/replication-stream.ts";
import { AppendOnlyFile, type FileCommand, type FilePlace } from "./append-only-file.ts";
import { fileBytes } from "./file-bytes.ts";
import { markOf } from "../saved/marks.ts";
import type { KeptKeys } from "../saved/slice.ts";
import { Passage } from "./passage.ts";
import { numberIn, type Place } from "../saved/place.ts";
import { readAt, type TransactionContext } from "../saved/transaction.ts";

export interface ResumeOptions extends TransactionContext {
  /** Where the engine keeps its append-only file; undefined where it cannot be read. */
  readonly appendOnlyFolder: string | undefined;
  readonly log: Log;
}

/** How long an engine may take until a command that it has executed is in the file, in milliseconds: it waits for a disk that is slow. */
const APPENDED_MS = 10_000;

/** What an append-only file has behind a place, and then the stream. */
export interface ResumedFile {
  readonly commands: AsyncGenerator<readonly StreamCommand[]>;
  /** So much of it was there when the engine began, counted as `Place.written` is: what follows was written since. */
  readonly keptUntil: number;
}

/**
 * Goes on where an earlier stream ended: with what the engine has appended to its file since the place, and then with the stream that is
 * attached. Undefined when the file does not say for sure what came after the place.
 */
export async function resumeFromFile(
  options: ResumeOptions,
  place: Place,
  stream: AsyncGenerator<readonly StreamCommand[]>,
): Promise<ResumedFile | undefined> {
  const { appendOnlyFolder: folder, clock, log, signal, slice } = options;
  if (folder === undefined || place.anchor === undefined) return undefined;
  const mark = `file:${randomUUID()}`;
  await readAt(options, mark, []);
  try {
    await using stack = new AsyncDisposableStack();
    const file = stack.use(await AppendOnlyFile.open(folder, clock, signal));
    const sizes = await readNotedSizes(folder);
    const search = new PlaceSearch(place, slice.kept, (end) => sizes === undefined || file.isWithin(end, sizes));
    const from = await findPlace(file, search, mark, slice.kept);
    if (from === undefined) return undefined;
    return {
      commands: joinAtMark(stack.move(), replayFile(file, from), stream, [mark, slice.kept]),
      keptUntil: search.keptUntil,
    };
  } catch (error) {
    signal.throwIfAborted();
    log.warn("the append-only file of the primary cannot be read", { error, folder });
    return undefined;
  }
}

/** Where the place is in the file; undefined unless the file has it, and after it all up to the mark. */
async function findPlace(
  file: AppendOnlyFile,
  search: PlaceSearch,
  mark: string,
  kept: KeptKeys,
): Promise<FilePlace | undefined> {
  for await (const commands of file.commands(undefined, () => (search.found === undefined ? 0 : APPENDED_MS)))
    for (const command of commands) {
      search.pass(command);
      if (search.found !== undefined && markOf(command, kept.mark) === mark) return search.found;
    }
  return undefined;
}

/** Finds the last own write before a place, and counts from there. */
class PlaceSearch {
  readonly #place: Place;
  readonly #kept: KeptKeys;
  readonly #isKept: (end: FilePlace) => boolean;
  #written: number | undefined;
  #found: FilePlace | undefined;
  #keptUntil = 0;

  /** `isKept`: what ends there was in the file when the engine began. */
  constructor(place: Place, kept: KeptKeys, isKept: (end: FilePlace) => boolean) {
    [this.#place, this.#kept, this.#isKept] = [place, kept, isKept];
  }

  /** The last command that was in the file when the engine began, counted as `Place.written` is. */
  get keptUntil(): number {
    return this.#keptUntil;
  }

  /** The place that was found; undefined before the search reaches it, and when no command ends there. */
  get found(): FilePlace | undefined {
    return this.#found;
  }

  pass(command: FileCommand): void {
    const { anchor, written } = this.#place;
    if (anchor !== undefined && numberIn(command, this.#kept) === anchor.number) {
      this.#written = anchor.written;
      this.#found = undefined;
    } else if (this.#written !== undefined) this.#written += fileBytes(command);
    if (this.#found === undefined && this.#written === written) this.#found = command.end;
    if (this.#written !== undefined && this.#isKept(command.end)) this.#keptUntil = this.#written;
  }
}

async function* replayFile(file: AppendOnlyFile, from: FilePlace): AsyncGenerator<readonly StreamCommand[]> {
  for await (const commands of file.commands(from, () => APPENDED_MS))
    yield commands.map(({ name, frame, database }) => ({ name, frame, database, replicationId: "", offset: 0 }));
}

/** The file up to the transaction with the mark, and the stream from there. */
async function* joinAtMark(
  opened: AsyncDisposableStack,
  commands: AsyncGenerator<readonly StreamCommand[]>,
  stream: AsyncGenerator<readonly StreamCommand[]>,
  mark: ConstructorParameters<typeof Passage>,
): AsyncGenerator<readonly StreamCommand[]> {
  await using _opened = opened;
  const inFile = new Passage(...mark);
  for await (const together of commands) {
    const behind = inFile.behind(together);
    yield together.slice(0, together.length - behind.length);
    if (inFile.isOver) break;
  }
  if (!inFile.isOver) throw new Fault(faults.closed, "The append-only file of the primary ends before its mark.");
  const inStream = new Passage(...mark);
  while (!inStream.isOver) {
    const { done, value } = await stream.next();
    if (done === true) return;
    yield inStream.behind(value);
  }
  yield* stream;
}
