import type { FileHandle } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { NotedSizes } from "#kit/files/noted-sizes";
import { argumentsOf, commandNameIn, type CommandFrame } from "../../../ports/resp/command-frame.ts";
import { FrameSplitter } from "../../../ports/resp/frame-splitter.ts";
import { openSharedFile } from "#kit/files/shared-file";
import { faults } from "../faults.ts";

/** A command in an append-only file. */
export interface FileCommand extends CommandFrame {
  /** The place behind it. */
  readonly end: FilePlace;
}

/** A place in one of the files. */
export interface FilePlace {
  readonly file: number;
  readonly offset: number;
  /** The numbered database that is selected there. */
  readonly database: number;
}

const MANIFEST = "appendonly.aof.manifest";
/** It names a few files. */
const MANIFEST_BYTES = 65_536;
const CHUNK = 1_048_576;
const LOOK_MS = 10;

/**
 * The commands that an engine has appended since it last wrote its data as a whole: in several files that a manifest lists, as engines
 * since 7.0 keep them. What is open stays readable when the engine removes it.
 */
export class AppendOnlyFile implements AsyncDisposable {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #files: (ListedFile & { readonly handle: FileHandle })[] = [];

  private constructor(folder: string, clock: Clock, signal: AbortSignal) {
    this.#folder = folder;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Opens what is in the folder; rejects when it cannot be read. The signal ends every wait. */
  static async open(folder: string, clock: Clock, signal: AbortSignal): Promise<AppendOnlyFile> {
    const file = new AppendOnlyFile(folder, clock, signal);
    try {
      await file.#openLater();
      return file;
    } catch (error) {
      await file[Symbol.asyncDispose]();
      throw error;
    }
  }

  /**
   * The commands from that place on, or all, many at a time. At the end it waits for more as long as `waitsFor` says, in milliseconds, and ends when
   * nothing has come for that time.
   */
  async *commands(from: FilePlace | undefined, waitsFor: () => number): AsyncGenerator<readonly FileCommand[]> {
    let place = from ?? { file: 0, offset: 0, database: 0 };
    for (let endedAt: number | undefined; ;) {
      for await (const commands of this.#read(place)) {
        place = commands.at(-1)?.end ?? place;
        endedAt = undefined;
        const written = commands.filter(({ name }) => name !== "SELECT");
        if (written.length > 0) yield written;
      }
      // the engine closed this file before it began to append to the next one
      if (place.file + 1 < this.#files.length) {
        place = { file: place.file + 1, offset: 0, database: 0 };
        continue;
      }
      const now = this.#clock.uptimeMs();
      endedAt ??= now;
      if (now - endedAt >= waitsFor()) return;
      await this.#clock.sleep(LOOK_MS, this.#signal);
      await this.#openLater();
    }
  }

  /** What ends at the place was there when the files had these sizes. */
  isWithin({ file, offset }: FilePlace, sizes: NotedSizes): boolean {
    return offset <= (sizes.get(this.#files[file]?.name ?? "") ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#files.splice(0).map(({ handle }) => handle.close()));
  }

  async *#read({ file, offset: begin, database: selected }: FilePlace): AsyncGenerator<readonly FileCommand[]> {
    const handle = this.#files[file]?.handle;
    if (handle === undefined) return;
    let [offset, database] = [begin, selected];
    for await (const frames of framesOf(handle, begin)) {
      const commands: FileCommand[] = [];
      for (const frame of frames) {
        offset += frame.length;
        if (frame[0] !== ARRAY) continue; // an annotation
        const name = commandNameIn(frame);
        if (name === "SELECT") database = Number(argumentsOf(frame)[1]);
        commands.push({ name, frame, database, end: { file, offset, database } });
      }
      yield commands;
    }
  }

  async #openLater(): Promise<void> {
    for (const listed of appendedIn(await readManifest(this.#folder))) {
      const last = this.#files.at(-1)?.sequence ?? listed.sequence - 1;
      if (listed.sequence <= last) continue;
      // the engine has written all of its data anew more than once since the last look
      if (listed.sequence > last + 1) throw unreadable(`File ${last + 1} in ${this.#folder} is gone.`);
      this.#files.push({ ...listed, handle: await openFile(this.#folder, listed.name) });
    }
  }
}

/** A file with commands, as a manifest lists it. */
interface ListedFile {
  readonly name: string;
  /** One more than that of the file before. */
  readonly sequence: number;
}

/** Opens a file that is not to be trusted: a link to elsewhere is not followed, and what never ends is not waited for. */
async function openFile(folder: string, name: string): Promise<FileHandle> {
  if (basename(name) !== name) throw unreadable(`The manifest in ${folder} names "${name}".`);
  return openSharedFile(join(folder, name), "read", unreadable);
}

async function readManifest(folder: string): Promise<string> {
  await using handle = await openFile(folder, MANIFEST);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MANIFEST_BYTES), 0, MANIFEST_BYTES, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

/** The whole frames of a file, from there to its present end, as many as are read at once. */
async function* framesOf(handle: FileHandle, from: number): AsyncGenerator<readonly Buffer[]> {
  const splitter = new FrameSplitter();
  for (let at = from; ;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const frames = splitter.push(chunk.subarray(0, bytesRead));
    if (frames.length > 0) yield frames;
  }
}

const ARRAY = 42;

/** The files with commands, the oldest first; what the manifest says besides is for engines. */
function appendedIn(manifest: string): readonly ListedFile[] {
  const lines = manifest.split("\n").map((line) => line.trim().split(" "));
  return lines.flatMap((words) => {
    const fields = new Map(words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]] as const] : [])));
    const [name, sequence] = [fields.get("file"), Number(fields.get("seq"))];
    return fields.get("type") === "i" && name !== undefined ? [{ name, sequence }] : [];
  });
}

function unreadable(why: string): Fault {
  return new Fault(faults.unreadable, why);
}
