import assert from "node:assert/strict";
import { test } from "node:test";
import { readOneByteText, writeOneByteText } from "./one-byte-text.ts";

const ALL = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");

for (const [kind, text] of [
  ["no character", ""],
  ["short ASCII", "key:1"],
  ["short bytes", "\x00\x7f\x80\xff"],
  ["every byte", ALL],
  ["long ASCII", "0123456789".repeat(20_000)],
  ["long bytes", ALL.repeat(1_000)],
  ["long, with a byte order mark in units of two", `${"a".repeat(70_000)}\xff\xfe${"b".repeat(70_000)}`],
] as const)
  test(`a text is its bytes: ${kind}`, () => {
    const expected = Buffer.from(text, "latin1");
    const bytes = new Uint8Array(text.length + 4).fill(7);
    writeOneByteText(text, bytes, 2);
    assert.deepEqual(Buffer.from(bytes), Buffer.concat([Buffer.from([7, 7]), expected, Buffer.from([7, 7])]));
    assert.equal(readOneByteText(bytes, 2, 2 + text.length), text);
  });
