import { inflateRawSync } from "node:zlib";

/** A file of a zip archive. */
export interface ZipEntry {
  readonly name: string;
  content(): Buffer;
}

/** The files of an archive whose directory is at its end (no zip64), in the order of the directory. */
export function readZip(archive: Buffer): ZipEntry[] {
  const end = archive.lastIndexOf(END_OF_DIRECTORY);
  if (end < 0) throw new Error("the archive has no directory at its end: it is no zip file, or not all of it");
  const entries: ZipEntry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let count = archive.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const next = at + HEADER + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
    const header = archive.subarray(at, next);
    entries.push({
      name: header.toString("utf8", HEADER, HEADER + (nameLength ?? 0)),
      content: () => contentOf(archive, header),
    });
    at = next;
  }
  return entries.filter(({ name }) => !name.endsWith("/"));
}

const END_OF_DIRECTORY = Buffer.from("PK\x05\x06", "latin1");
/** Length of a directory entry before its name; a file's own header is shorter. */
const HEADER = 46;
const FILE_HEADER = 30;

function contentOf(archive: Buffer, header: Buffer): Buffer {
  const method = header.readUInt16LE(10);
  const file = header.readUInt32LE(42);
  const start = file + FILE_HEADER + archive.readUInt16LE(file + 26) + archive.readUInt16LE(file + 28);
  const packed = archive.subarray(start, start + header.readUInt32LE(20));
  if (method === 0) return packed;
  if (method === 8) return inflateRawSync(packed, { maxOutputLength: header.readUInt32LE(24) });
  throw new Error(`the archive packs a file by method ${method}, which is neither stored nor deflated`);
}
