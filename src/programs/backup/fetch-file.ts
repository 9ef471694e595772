import { createHash } from "node:crypto";
import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import { replaceFile } from "#kit/files/replace-file";
import { backupPrefix } from "../../core/backup/layout.ts";
import type { BackupFile } from "../../core/backup/manifest.ts";
import { faults as slotFaults } from "../../core/slots/faults.ts";
import type { FetchCommand } from "../../ports/management/backup-control.ts";
import { faults as storeFaults } from "../../ports/object-store/faults.ts";
import type { ObjectStore } from "../../ports/object-store/s3.ts";
import { ByteRate } from "./byte-rate.ts";
import { CountedKeys } from "./counted-keys.ts";
import { decryptPieces } from "./encrypted-file.ts";
import { faults } from "./faults.ts";

/**
 * Puts a file of a backup where it is wanted: it is there when all of it has come, and has the SHA-256 and the keys of the manifest. BACKUP_DAMAGED when
 * the object is not what was saved; no more than the manifest says is ever written.
 */
export async function fetchFile(
  { folder, name, file, path, mode, keys, bytesPerSecond }: FetchCommand,
  store: Pick<ObjectStore, "pieces">,
  clock: Clock,
): Promise<void> {
  const rate = bytesPerSecond === undefined ? undefined : new ByteRate(clock, bytesPerSecond);
  const key = `${backupPrefix(folder, name)}${file.file}`;
  try {
    const stored = checkPieces(store.pieces(key), file, rate);
    const plain = keys === undefined ? stored : decryptPieces(stored, { keys, file: file.file });
    await replaceFile(path, countPieces(plain, file), mode);
  } catch (error) {
    if (isFault(error, storeFaults.missing)) throw damageOf(file, "is gone");
    throw error;
  }
}

/** As they come from the store, as the manifest says of its bytes. */
async function* checkPieces(
  pieces: AsyncIterable<Uint8Array>,
  file: BackupFile,
  rate: ByteRate | undefined,
): AsyncGenerator<Uint8Array> {
  const digest = createHash("sha256");
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > file.bytes) throw damageOf(file, `is longer than the ${file.bytes} bytes of the manifest`);
    digest.update(piece);
    await rate?.pass(piece.length);
    yield piece;
  }
  if (bytes < file.bytes) throw damageOf(file, `has ${bytes} of the ${file.bytes} bytes of the manifest`);
  if (digest.digest("hex") !== file.sha256) throw damageOf(file, "has another SHA-256 than the manifest says");
}

/** As an engine is to load them, as the manifest says of its keys. */
async function* countPieces(pieces: AsyncIterable<Uint8Array>, file: BackupFile): AsyncGenerator<Uint8Array> {
  const counted = new FileKeys(file);
  for await (const piece of pieces) {
    counted.push(piece);
    yield piece;
  }
  counted.require();
}

/** Whether a file is a whole snapshot with as many keys as the manifest says, where it says that: an engine is content with fewer, or with none. */
class FileKeys {
  readonly #file: BackupFile;
  readonly #counted = new CountedKeys();
  #trouble: string | undefined;

  constructor(file: BackupFile) {
    this.#file = file;
  }

  push(piece: Uint8Array): void {
    if (this.#trouble !== undefined || this.#file.keys === undefined) return;
    try {
      this.#counted.push(piece);
    } catch (error) {
      if (!isFault(error, slotFaults.malformed)) throw error;
      this.#trouble = `is no snapshot: ${error.message}`;
    }
  }

  /** BACKUP_DAMAGED once all has passed, and it is not so. What this release cannot look into is as good. */
  require(): void {
    const { keys: expected } = this.#file;
    if (expected === undefined) return;
    if (this.#trouble !== undefined) throw damageOf(this.#file, this.#trouble);
    const keys = this.#counted.finish();
    if (keys === "cut") throw damageOf(this.#file, "is a snapshot that does not end with its end");
    if (keys !== undefined && keys !== expected)
      throw damageOf(this.#file, `has ${keys} keys, and the manifest says ${expected}`);
  }
}

function damageOf({ file }: BackupFile, what: string): Fault {
  return new Fault(faults.damaged, `The object ${file} of the backup ${what}.`);
}
