import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Fault } from "#kit/base/fault";
import type { BackupKey } from "../../core/api/backup-keys.ts";
import { fileKeyOf, backupKeyId, keyOfId } from "./derived-keys.ts";
import { faults } from "./faults.ts";

/**
 * A file that is encrypted: a head (what it is, the id of the key, a salt), then chunks of 64 KiB, each with a tag behind it. The nonce of a chunk is its number and whether
 * it is the last one, so that none can be left out, repeated, moved or cut off. A chunk is passed on once its tag is right.
 */
export async function* encryptPieces(
  pieces: AsyncIterable<Uint8Array>,
  { key, file }: { readonly key: BackupKey; readonly file: string },
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const head = Buffer.concat([MAGIC, Buffer.from(backupKeyId(key), "hex"), salt]);
  const fileKey = fileKeyOf(key, file, salt);
  yield head;
  let number = 0;
  for await (const { bytes, isLast } of chunksOf(pieces, [CHUNK_BYTES])) {
    const cipher = createCipheriv(CIPHER, fileKey, nonceOf(number, isLast)).setAAD(head);
    yield cipher.update(bytes);
    cipher.final();
    yield cipher.getAuthTag();
    number += 1;
  }
}

/** What was encrypted; BACKUP_KEY_MISSING when it was by another key, and BACKUP_DAMAGED once it is not what was written. */
export async function* decryptPieces(
  pieces: AsyncIterable<Uint8Array>,
  { keys, file }: { readonly keys: readonly BackupKey[]; readonly file: string },
): AsyncGenerator<Buffer> {
  let opened: OpenedFile | undefined;
  let number = 0;
  for await (const { bytes, isLast } of chunksOf(pieces, [HEAD_BYTES, CHUNK_BYTES + TAG_BYTES])) {
    if (opened === undefined) {
      opened = openHead(bytes, { keys, file, isLast });
      continue;
    }
    yield openChunk(opened, bytes, { number, isLast, file });
    number += 1;
  }
}

/** What its chunks are decrypted with. */
interface OpenedFile {
  readonly head: Buffer;
  readonly fileKey: Buffer;
}

function openHead(
  bytes: Buffer,
  { keys, file, isLast }: { readonly keys: readonly BackupKey[]; readonly file: string; readonly isLast: boolean },
): OpenedFile {
  if (isLast || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw damageIn(file, "is not encrypted, and was when it was saved");
  const head = Buffer.from(bytes); // it is filled anew
  const id = head.subarray(MAGIC.length, MAGIC.length + ID_BYTES).toString("hex");
  const key = keyOfId(keys, id);
  if (key === undefined)
    throw new Fault(faults.keyMissing, `The object ${file} of the backup is encrypted by another key, ${id}.`);
  return { head, fileKey: fileKeyOf(key, file, head.subarray(MAGIC.length + ID_BYTES)) };
}

function openChunk(
  { head, fileKey }: OpenedFile,
  bytes: Buffer,
  { number, isLast, file }: { readonly number: number; readonly isLast: boolean; readonly file: string },
): Buffer {
  const end = bytes.length - TAG_BYTES;
  if (end < 0) throw damageIn(file, "ends within a tag");
  const decipher = createDecipheriv(CIPHER, fileKey, nonceOf(number, isLast), { authTagLength: TAG_BYTES });
  decipher.setAAD(head).setAuthTag(bytes.subarray(end));
  const plain = decipher.update(bytes.subarray(0, end));
  try {
    decipher.final();
  } catch (error) {
    const from = HEAD_BYTES + number * (CHUNK_BYTES + TAG_BYTES);
    throw damageIn(file, `cannot be decrypted from byte ${from} on`, error);
  }
  return plain;
}

/** Twelve bytes that no other chunk of the file has. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeBigUInt64BE(BigInt(number), 3);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}

/** All that comes in chunks of these sizes, of which the last one counts for all that follow. What is given stays until the next one is asked for. */
async function* chunksOf(
  pieces: AsyncIterable<Uint8Array>,
  sizes: readonly number[],
): AsyncGenerator<{ readonly bytes: Buffer; readonly isLast: boolean }> {
  const chunk = Buffer.allocUnsafeSlow(Math.max(...sizes));
  const waiting = [...sizes];
  let size = waiting.shift() ?? 0;
  let filled = 0;
  for await (const piece of pieces)
    for (let at = 0; at < piece.length;) {
      if (filled === size) {
        yield { bytes: chunk.subarray(0, size), isLast: false };
        size = waiting.shift() ?? size;
        filled = 0;
      }
      const taken = piece.subarray(at, at + size - filled);
      chunk.set(taken, filled);
      filled += taken.length;
      at += taken.length;
    }
  yield { bytes: chunk.subarray(0, filled), isLast: true };
}

function damageIn(file: string, what: string, cause?: unknown): Fault {
  return new Fault(faults.damaged, `The object ${file} of the backup ${what}.`, {}, cause);
}

const CIPHER = "aes-256-gcm";
const MAGIC = Buffer.from("STOREBK1");
const ID_BYTES = 16;
const SALT_BYTES = 32;
const HEAD_BYTES = MAGIC.length + ID_BYTES + SALT_BYTES;
const CHUNK_BYTES = 65_536;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
