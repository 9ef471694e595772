import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { decryptPieces, encryptPieces } from "./encrypted-file.ts";

const KEY = { name: "key-1", key: randomBytes(32).toString("base64") };
const OTHER = { name: "key-1", key: randomBytes(32).toString("base64") };
const FILE = "0123456789abcdef/shard-1.rdb.enc";
const HEAD = 56;
/** Of a chunk with its tag. */
const CHUNK = 65_536 + 16;
const PLAIN = randomBytes(3 * 65_536 + 100);

for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])
  test(`a file of ${size} bytes comes back as it was, however it is cut into pieces`, async () => {
    const plain = randomBytes(size);
    const stored = await encrypted(plain, 10_007);
    assert.equal(stored.length, HEAD + size + 16 * Math.max(1, Math.ceil(size / 65_536)));
    for (const pieceBytes of [977, 65_536, stored.length])
      assert.ok((await decrypted(stored, { pieceBytes })).equals(plain));
  });

test("nothing of what was saved can be seen, and two files of the same data have nothing in common", async () => {
  const plain = Buffer.alloc(100_000, "the same text ");
  const [one, other] = await Promise.all([encrypted(plain), encrypted(plain)]);
  assert.equal(one.includes("same text"), false);
  assert.equal(one.subarray(24, 56).equals(other.subarray(24, 56)), false);
  assert.equal(one.subarray(56, 1_000).equals(other.subarray(56, 1_000)), false);
});

for (const [rule, damage, code] of [
  ["is cut off at the end of a chunk", (file) => file.subarray(0, HEAD + CHUNK), "BACKUP_DAMAGED"],
  ["is cut off within a chunk", (file) => file.subarray(0, HEAD + CHUNK + 1_000), "BACKUP_DAMAGED"],
  ["is cut off within a tag", (file) => file.subarray(0, HEAD + 3 * CHUNK + 10), "BACKUP_DAMAGED"],
  ["has lost its last byte", (file) => file.subarray(0, -1), "BACKUP_DAMAGED"],
  ["has only its head", (file) => file.subarray(0, HEAD), "BACKUP_DAMAGED"],
  ["is empty", () => Buffer.alloc(0), "BACKUP_DAMAGED"],
  ["has one byte more", (file) => Buffer.concat([file, Buffer.of(0)]), "BACKUP_DAMAGED"],
  ["has its last chunk twice", (file) => Buffer.concat([file, file.subarray(HEAD + 3 * CHUNK)]), "BACKUP_DAMAGED"],
  ["has two chunks in another order", (file) => inOrder(file, [1, 0, 2, 3]), "BACKUP_DAMAGED"],
  ["lacks a chunk in the middle", (file) => inOrder(file, [0, 2, 3]), "BACKUP_DAMAGED"],
  ["has a chunk twice", (file) => inOrder(file, [0, 0, 1, 2, 3]), "BACKUP_DAMAGED"],
  ["ends with a chunk of its middle", (file) => inOrder(file, [0, 1]), "BACKUP_DAMAGED"],
  ["has another salt", (file) => flipped(file, 40), "BACKUP_DAMAGED"],
  ["has another byte of data", (file) => flipped(file, HEAD + CHUNK + 5), "BACKUP_DAMAGED"],
  ["has another tag", (file) => flipped(file, HEAD + CHUNK - 1), "BACKUP_DAMAGED"],
  ["is not encrypted", () => Buffer.concat([Buffer.from("REDIS0011"), PLAIN]), "BACKUP_DAMAGED"],
  ["names another key", (file) => flipped(file, 9), "BACKUP_KEY_MISSING"],
] as const satisfies readonly (readonly [string, (file: Buffer) => Buffer, string])[])
  test(`a file that ${rule} is refused, and no byte of it counts that was not saved`, async () => {
    const file = damage(await encrypted(PLAIN));
    let passed = 0;
    await assert.rejects(
      async () => {
        for await (const piece of decryptPieces(pieces(file), { keys: [KEY], file: FILE })) {
          assert.ok(piece.equals(PLAIN.subarray(passed, passed + piece.length)));
          passed += piece.length;
        }
      },
      { code },
    );
  });

test("a file is opened by its key among several, and not under the name of another file or by another key", async () => {
  const stored = await encrypted(PLAIN);
  assert.ok((await decrypted(stored, { keys: [OTHER, KEY] })).equals(PLAIN));
  await assert.rejects(decrypted(stored, { keys: [OTHER] }), {
    code: "BACKUP_KEY_MISSING",
    message: /is encrypted by another key, [0-9a-f]{32}\.$/,
  });
  await assert.rejects(decrypted(stored, { file: "0123456789abcdef/shard-2.rdb.enc" }), { code: "BACKUP_DAMAGED" });
});

test("a file of 256 MiB takes no memory that grows with it", async () => {
  const piece = randomBytes(65_536);
  const many = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < 4_096; at += 1) yield await Promise.resolve(piece);
  };
  const [sent, got] = [createHash("sha256"), createHash("sha256")];
  for await (const one of many()) sent.update(one);
  const before = process.memoryUsage().rss;
  let most = 0;
  for await (const one of decryptPieces(encryptPieces(many(), { key: KEY, file: FILE }), { keys: [KEY], file: FILE })) {
    got.update(one);
    most = Math.max(most, process.memoryUsage.rss() - before);
  }
  assert.equal(got.digest("hex"), sent.digest("hex"));
  assert.ok(most < 128 << 20, `${most >> 20} MiB`);
});

async function encrypted(plain: Buffer, pieceBytes = 65_536): Promise<Buffer> {
  return whole(encryptPieces(pieces(plain, pieceBytes), { key: KEY, file: FILE }));
}

function decrypted(stored: Buffer, { keys = [KEY], file = FILE, pieceBytes = 65_536 } = {}): Promise<Buffer> {
  return whole(decryptPieces(pieces(stored, pieceBytes), { keys, file }));
}

async function whole(all: AsyncIterable<Buffer>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(all));
}

async function* pieces(content: Buffer, pieceBytes = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += pieceBytes)
    yield await Promise.resolve(content.subarray(at, at + pieceBytes));
}

function inOrder(file: Buffer, order: readonly number[]): Buffer {
  const chunk = (at: number): Buffer => file.subarray(HEAD + at * CHUNK, HEAD + (at + 1) * CHUNK);
  return Buffer.concat([file.subarray(0, HEAD), ...order.map(chunk)]);
}

function flipped(file: Buffer, at: number): Buffer {
  const other = Buffer.from(file);
  other[at] = (other[at] ?? 0) ^ 1;
  return other;
}
