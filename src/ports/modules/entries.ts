import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { fromBufferPromise, type Entry, type ZipFile } from "yauzl";
import { Fault, isFault, messageOf } from "../../core/base/fault.ts";
import { faults } from "./faults.ts";

/** Limits of an archive: sizes in bytes, `ratio` of a file to its packed form. */
export const ARCHIVE_LIMITS = { packed: 64 << 20, entries: 64, total: 256 << 20, ratio: 200 } as const;
export type ArchiveLimits = { readonly [K in keyof typeof ARCHIVE_LIMITS]: number };

const KIND = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/**
 * Unpacks a zip file in memory, by name. Nothing is written, and nothing is unpacked beyond `limits`:
 * MODULES_NOT_AN_ARCHIVE, or MODULES_UNSAFE_ARCHIVE for paths out of the archive, links, duplicates, and wrong sizes.
 */
export async function unpack(
  archive: Buffer,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<ReadonlyMap<string, Buffer>> {
  if (archive.length > limits.packed) {
    throw unsafe(`it has ${archive.length} bytes, at most ${limits.packed} are accepted`);
  }
  const zip = await openZip(archive);
  if (zip.entryCount > limits.entries) {
    throw unsafe(`it holds ${zip.entryCount} files, at most ${limits.entries} are accepted`);
  }
  const files = new Map<string, Buffer>();
  let total = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      total += entry.uncompressedSize;
      requireHarmless(entry, total, limits);
      if (files.has(entry.fileName)) throw unsafe(`"${entry.fileName}" is in it twice`);
      if (!isFolder(entry)) files.set(entry.fileName, await read(zip, entry));
    }
  } catch (error) {
    // the library refuses paths out of the archive and wrong sizes
    throw isFault(error, faults.unsafeArchive) ? error : unsafe(messageOf(error));
  }
  return files;
}

async function openZip(archive: Buffer): Promise<ZipFile> {
  try {
    return await fromBufferPromise(archive, { lazyEntries: true, strictFileNames: true, validateEntrySizes: true });
  } catch (error) {
    throw new Fault(faults.notAnArchive, `the file is no zip archive: ${messageOf(error)}`);
  }
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

async function read(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const bytes = await buffer(await zip.openReadStreamPromise(entry));
  if (crc32(bytes) !== entry.crc32) throw unsafe(`"${entry.fileName}" is damaged: its checksum differs`);
  return bytes;
}

function unsafe(why: string): Fault {
  return new Fault(faults.unsafeArchive, `the archive is refused: ${why}`);
}
