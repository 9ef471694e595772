import { gzipSync } from "node:zlib";

/** A file of an archive. */
export interface ArchiveFile {
  /** With slashes; its last part has at most 100 bytes, its folder 155. */
  readonly path: string;
  readonly content: string;
}

const BLOCK = 512;

/** A tar archive (ustar), packed by gzip, as `tar -xzf` takes it. */
export function tarGz(files: readonly ArchiveFile[], at: Date): Buffer {
  const parts = files.flatMap(({ path, content }) => {
    const bytes = Buffer.from(content);
    const padding = Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK);
    return [header(path, bytes.length, at), bytes, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]));
}

function header(path: string, size: number, at: Date): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  const folder = Buffer.byteLength(path) > 100 ? path.slice(0, path.lastIndexOf("/")) : "";
  block.write(folder === "" ? path : path.slice(folder.length + 1), 0, 100);
  block.write(folder, 345, 155);
  block.write(octal(0o600, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(Math.floor(at.getTime() / 1_000), 11), 136);
  block.write("        0", 148); // the sum is taken with blanks in its own place; then the type: a file
  block.write("ustar\0" + "00", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
