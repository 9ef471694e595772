import assert from "node:assert/strict";
import { test } from "node:test";
import { CountedKeys } from "./counted-keys.ts";

const HEAD = Buffer.from("REDIS0010");
const END = Buffer.concat([Buffer.of(255), Buffer.alloc(8)]);
const CHUNK = Buffer.alloc(1_048_576);

for (const [rule, begins, outcome] of [
  ["a name of 2^63 bytes", Buffer.of(0, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0), undefined],
  ["a note of 4 GB", Buffer.of(250, 0x80, 0xff, 0xff, 0xff, 0xff), undefined],
  ["a name that unpacks to 2 GB", Buffer.of(0, 0xc3, 5, 0x80, 0x7f, 0xff, 0xff, 0xff, 0, 97, 0xe0, 0, 0), undefined],
  ["a value of 2^63 bytes", Buffer.of(0, 1, 97, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0), "cut"],
  ["nothing behind its end", END, "cut"],
] as const)
  test(`a file that claims ${rule} takes no memory for it`, () => {
    const counted = new CountedKeys();
    counted.push(Buffer.concat([HEAD, begins]));
    const before = process.memoryUsage();
    for (let megabytes = 0; megabytes < 2_000; megabytes += 1) counted.push(CHUNK);
    const after = process.memoryUsage();
    assert.equal(counted.finish(), outcome);
    assert.ok(after.arrayBuffers - before.arrayBuffers < 64 << 20);
  });
