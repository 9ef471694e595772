import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry, type ZipFile } from "yauzl";
import { Fault, isFault, messageOf } from "#kit/base/fault";
import { faults } from "./faults.ts";

/** Limits of an archive: sizes in bytes, `ratio` of a file to its packed form. */
export const ARCHIVE_LIMITS = { packed: 64 << 20, entries: 64, total: 256 << 20, ratio: 200 } as const;
export type ArchiveLimits = { readonly [K in keyof typeof ARCHIVE_LIMITS]: number };

const KIND = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/** An open zip file; what it holds is read piece by piece and never as a whole. */
export interface Archive extends AsyncDisposable {
  /** Its files, each with its unpacked size in bytes. */
  readonly files: ReadonlyMap<string, number>;
  /** The content of a file. MODULES_UNSAFE_ARCHIVE at the end when it is damaged, so nothing may be used before. */
  content(name: string): AsyncIterable<Buffer>;
}

/**
 * Opens a zip file, in memory or on disk. Nothing is written, and nothing is unpacked beyond `limits`:
 * MODULES_NOT_AN_ARCHIVE, or MODULES_UNSAFE_ARCHIVE for paths out of the archive, links, duplicates, and wrong sizes.
 */
export async function openArchive(file: Blob, limits: ArchiveLimits = ARCHIVE_LIMITS): Promise<Archive> {
  if (file.size > limits.packed) throw unsafe(`it has ${file.size} bytes, at most ${limits.packed} are accepted`);
  const zip = await openZip(file);
  try {
    const entries = await harmlessEntries(zip, limits);
    return {
      files: new Map([...entries.values()].map(({ fileName, uncompressedSize }) => [fileName, uncompressedSize])),
      content: (name) => contentOf(zip, entries.get(name), name),
      [Symbol.asyncDispose]: () => Promise.resolve(zip.close()),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Reads the parts of the file that are asked for. */
class BlobReader extends RandomAccessReader {
  readonly #file: Blob;

  constructor(file: Blob) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.fromWeb(this.#file.slice(start, end).stream());
  }
}

async function openZip(file: Blob): Promise<ZipFile> {
  try {
    const options = { lazyEntries: true, autoClose: false, strictFileNames: true, validateEntrySizes: true };
    return await fromRandomAccessReaderPromise(new BlobReader(file), file.size, options);
  } catch (error) {
    throw new Fault(faults.notAnArchive, `the file is no zip archive: ${messageOf(error)}`);
  }
}

async function harmlessEntries(zip: ZipFile, limits: ArchiveLimits): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > limits.entries) {
    throw unsafe(`it holds ${zip.entryCount} files, at most ${limits.entries} are accepted`);
  }
  const files = new Map<string, Entry>();
  let total = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      total += entry.uncompressedSize;
      requireHarmless(entry, total, limits);
      if (files.has(entry.fileName)) throw unsafe(`"${entry.fileName}" is in it twice`);
      if (!isFolder(entry)) files.set(entry.fileName, entry);
    }
  } catch (error) {
    throw asUnsafe(error);
  }
  return files;
}

async function* contentOf(zip: ZipFile, entry: Entry | undefined, name: string): AsyncGenerator<Buffer, void, void> {
  if (entry === undefined) throw unsafe(`"${name}" is not in it`);
  let checksum = 0;
  try {
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw asUnsafe(error);
  }
  if (checksum !== entry.crc32) throw unsafe(`"${name}" is damaged: its checksum differs`);
}

function requireHarmless(entry: Entry, total: number, limits: ArchiveLimits): void {
  const { fileName: name, uncompressedSize: size, compressedSize: packed } = entry;
  const kind = (entry.externalFileAttributes >>> 16) & KIND;
  if (kind !== 0 && kind !== REGULAR && kind !== FOLDER) throw unsafe(`"${name}" is no plain file`);
  if (total > limits.total) throw unsafe(`unpacked it has more than ${limits.total} bytes`);
  if (size > packed * limits.ratio) {
    throw unsafe(`"${name}" grows from ${packed} to ${size} bytes, more than ${limits.ratio} times`);
  }
}

function isFolder({ fileName }: Entry): boolean {
  return fileName.endsWith("/");
}

/** The library refuses paths out of the archive and wrong sizes. */
function asUnsafe(error: unknown): unknown {
  return isFault(error, faults.unsafeArchive) ? error : unsafe(messageOf(error));
}

function unsafe(why: string): Fault {
  return new Fault(faults.unsafeArchive, `the archive is refused: ${why}`);
}
