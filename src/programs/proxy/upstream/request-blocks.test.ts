import assert from "node:assert/strict";
import { test } from "node:test";
import { giveBlock, keepBlock, takeBlock } from "./request-blocks.ts";

const KIB = 1024;

test("a block holds what was asked for, with little beside it", () => {
  for (const bytes of [1, 4 * KIB, 65 * KIB, 68 * KIB, 68 * KIB + 1, 300 * KIB, 1024 * KIB, 5000 * KIB]) {
    const block = takeBlock(bytes);
    assert.ok(block.length >= bytes && block.length < bytes + 68 * KIB, `${bytes}: ${block.length}`);
  }
});

test("a block that was given back is used again, for a request of its size only", () => {
  const block = takeBlock(66 * KIB);
  giveBlock(block.subarray(10, 20));
  assert.notEqual(takeBlock(130 * KIB).buffer, block.buffer);
  assert.equal(takeBlock(67 * KIB).buffer, block.buffer);
  assert.notEqual(takeBlock(67 * KIB).buffer, block.buffer);
});

test("a block that is kept is never used again, and other memory never becomes a block", () => {
  const block = takeBlock(66 * KIB);
  keepBlock(block);
  const other = Buffer.alloc(68 * KIB);
  for (const bytes of [block, other]) giveBlock(bytes);
  for (let i = 0; i < 100; i++) {
    const next = takeBlock(66 * KIB);
    assert.notEqual(next.buffer, block.buffer);
    assert.notEqual(next.buffer, other.buffer);
  }
});

test("4 MiB of free blocks are kept at most", () => {
  const blocks = Array.from({ length: 100 }, () => takeBlock(66 * KIB));
  for (const block of blocks) giveBlock(block);
  const given = new Set(blocks.map(({ buffer }) => buffer));
  const again = Array.from({ length: 100 }, () => takeBlock(66 * KIB)).filter(({ buffer }) => given.has(buffer));
  assert.ok(again.length > 50 && again.length * 68 * KIB <= 4 * KIB * KIB, `${again.length} blocks`);
});
