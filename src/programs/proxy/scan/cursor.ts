import { encodeCommand } from "../../../ports/resp/encode.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { keyword } from "../protocol/arguments.ts";

/**
 * A cursor is valid only at the process that gave it, so the cursors of clients name the epoch too: the engine's number in
 * the low 40 bits, enough for any table that fits a machine, and the tag of the epoch above. With several shards, the number of the shard takes the
 * upper 9 of those 40 bits. The whole is below 2^53, as clients keep cursors in floating-point numbers.
 */
export interface ScanCursor {
  /** The tag of the epoch; 0 in a cursor that no proxy has given out, for instance the first one. */
  readonly tag: number;
  /** The engine's own number, in decimal. */
  readonly position: string;
}

/** The tag of an epoch, under a table of slots: two epochs of a table have the same one only when thousands lie between them. */
export function epochTag(epoch: number, tableEpoch = 0): number {
  return 1 + ((epoch + tableEpoch * TABLE_STEP) % MOST_TAGS);
}

/** The tag of a cursor at which the scan of a shard begins, behind those of other shards. A table that was the first one has none. */
export function beginningTag(tableEpoch: number): number {
  return tableEpoch === 0 ? 0 : epochTag(0, tableEpoch);
}

/** The tag of a process that began within an epoch, in the place of that of the epoch: it tells its cursors from those of the process before. */
export function runTag(run: string): number {
  return 1 + MOST_TAGS + (Number.parseInt(run.slice(0, 8), 16) % MOST_TAGS);
}

/** The cursor of a SCAN, HSCAN, SSCAN or ZSCAN; undefined when it is no valid one. */
export function cursorOf(request: Buffer): ScanCursor | undefined {
  const args = requestArguments(request);
  const text = args[cursorIndex(args)]?.toString("latin1") ?? "";
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const value = BigInt(text);
  if (value > LARGEST) return undefined;
  return { tag: Number(value >> POSITION_BITS), position: String(value & POSITIONS) };
}

/** The request with the engine's own cursor. */
export function withPosition(request: Buffer, position: string): Buffer {
  const args = requestArguments(request);
  const at = cursorIndex(args);
  return encodeCommand(args.map((argument, i) => (i === at ? position : argument)));
}

/** Which of how many shards a scan of a database is at. */
export interface ScannedShard {
  readonly shard: number;
  readonly of: number;
  /** The tag of a cursor at which the next shard begins. */
  readonly nextTag: number;
}

/** The shard that a cursor names, and the cursor as that shard has it. A cursor of a database of several shards names one below the tag. */
export function shardIn({ tag, position }: ScanCursor): { readonly shard: number; readonly cursor: ScanCursor } {
  const value = BigInt(position);
  return {
    shard: Number(value >> SHARD_BITS),
    cursor: { tag, position: String(value & SHARD_POSITIONS) },
  };
}

/**
 * The engine's reply with the cursor as clients get it; the last one of a scan, or another reply, is returned unchanged. Behind the last keys of
 * a shard, the scan goes on at the next one.
 */
export function withTag(answer: Buffer, tag: number, { shard, of, nextTag }: ScannedShard = ONLY): Buffer {
  const head = /^\*2\r\n\$\d+\r\n(\d+)\r\n/.exec(answer.toString("latin1", 0, LONGEST_HEAD));
  const [whole, position] = head ?? [];
  if (whole === undefined || position === undefined) return answer;
  const isLast = position === FIRST;
  if (isLast && shard + 1 === of) return answer;
  const place = isLast ? BigInt(shard + 1) << SHARD_BITS : (BigInt(shard) << SHARD_BITS) | BigInt(position);
  const cursor = String((BigInt(isLast ? nextTag : tag) << POSITION_BITS) | place);
  return Buffer.concat([Buffer.from(`*2\r\n$${cursor.length}\r\n${cursor}\r\n`), answer.subarray(whole.length)]);
}

/** The cursor that begins a scan. */
export const FIRST = "0";

/** The same as clients send it. */
export const NEW: ScanCursor = { tag: 0, position: FIRST };

/** The tag of an engine that is not the primary any more, and not known: a scan with it begins anew. */
export const NO_EPOCH = 8191;

const LARGEST = 2n ** 64n - 1n;
const POSITION_BITS = 40n;
const POSITIONS = (1n << POSITION_BITS) - 1n;
/** Enough for 512 shards, and for a table of each that takes more than a machine has. */
const SHARD_BITS = 31n;
const SHARD_POSITIONS = (1n << SHARD_BITS) - 1n;
const ONLY: ScannedShard = { shard: 0, of: 1, nextTag: 0 };
const MOST_TAGS = 4095;
/** Further than a shard has changes of primary while a scan lasts. */
const TABLE_STEP = 1511;
const LONGEST_HEAD = 40;

function cursorIndex(args: readonly Buffer[]): number {
  return keyword(args[0]) === "SCAN" ? 1 : 2;
}
