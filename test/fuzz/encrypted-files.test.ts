import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { Fault } from "#kit/base/fault";
import { decryptPieces, encryptPieces } from "../../src/programs/backup/encrypted-file.ts";
import { piecesOf } from "../kit/fuzz/pieces.ts";
import { progressOf } from "../kit/fuzz/progress.ts";
import { seededDice, type Dice } from "../kit/world/chaos.ts";

/** A seed replays the files; `FUZZ_ENCRYPTED=10000` is the long run. */
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 100_000);
const files = Number(process.env["FUZZ_ENCRYPTED"] ?? 200);
const FILE = "0123456789abcdef/shard-1.rdb.enc";
const KEY = { name: "key-1", key: randomBytes(32).toString("base64") };
const PLAIN = randomBytes(200_000);
const HEAD = 56;
const CHUNK = 65_536 + 16;
const MOST_AT_ONCE = 1_000;

await test(`an encrypted file that is not as it was is refused, whatever was done to it (FUZZ_SEED=${seed})`, async () => {
  const [whole, other] = await Promise.all([encrypted(), encrypted()]);
  const over = progressOf("files are read", files);
  for (let number = 0; number < files; number += 1) {
    const dice = seededDice(seed + number);
    const damaged = damage(dice, whole, other);
    const outcome = await outcomeOf(damaged, dice);
    const expected = damaged.equals(whole) ? "read" : /^BACKUP_(?:DAMAGED|KEY_MISSING)$/;
    if (typeof expected === "string") assert.equal(outcome, expected, `FUZZ_SEED=${seed + number}`);
    else assert.match(outcome, expected, `FUZZ_SEED=${seed + number}`);
    over(number + 1);
  }
});

/** What came of it; what has passed until then was saved so. */
async function outcomeOf(file: Buffer, dice: Dice): Promise<string> {
  let passed = 0;
  try {
    for await (const piece of decryptPieces(arriving(piecesOf(file, dice)), { keys: [KEY], file: FILE })) {
      assert.ok(piece.equals(PLAIN.subarray(passed, passed + piece.length)), `from byte ${passed} on`);
      passed += piece.length;
    }
    assert.equal(passed, PLAIN.length);
    return "read";
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** One to three changes: bits, cuts, what is added, left out, repeated, or of another file of the same key. */
function damage(dice: Dice, whole: Buffer, other: Buffer): Buffer {
  let file = Buffer.from(whole);
  const below = (most: number): number => Math.floor(dice() * most);
  const times = 1 + below(3);
  for (let time = 0; time < times; time += 1) {
    const at = below(file.length + 1);
    const long = below(MOST_AT_ONCE);
    const from = dice() < 0.5 ? at : HEAD + CHUNK * below(4);
    const to = from + (dice() < 0.5 ? long : CHUNK);
    const ways: readonly (() => Buffer)[] = [
      () => flipped(file, at, 1 << below(8)),
      () => file.subarray(0, from),
      () => Buffer.concat([file.subarray(0, from), file.subarray(to)]),
      () => Buffer.concat([file.subarray(0, from), file.subarray(from, to), file.subarray(from)]),
      () => Buffer.concat([file.subarray(0, from), other.subarray(from, to), file.subarray(to)]),
      () => Buffer.concat([file.subarray(0, at), Buffer.alloc(1 + long, below(256)), file.subarray(at)]),
      () => Buffer.concat([other.subarray(0, HEAD), file.subarray(HEAD)]),
    ];
    file = Buffer.from(ways[below(ways.length)]?.() ?? file);
  }
  return file;
}

function flipped(file: Buffer, at: number, bit: number): Buffer {
  const other = Buffer.from(file);
  if (at < other.length) other[at] = (other[at] ?? 0) ^ bit;
  return other;
}

async function encrypted(): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(encryptPieces(arriving([PLAIN]), { key: KEY, file: FILE })));
}

async function* arriving(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) yield await Promise.resolve(piece);
}
