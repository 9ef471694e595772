import assert from "node:assert/strict";
import { test } from "node:test";
import { slotOf } from "../slot.ts";
import { Crc64 } from "./crc64.ts";
import { unpackLzf } from "./lzf.ts";
import { SnapshotReader } from "./snapshot-reader.ts";

/** Of what is kept until it is whole. */
const MOST = 1_000_000;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: string): readonly number[] => [value.length, ...bytesOf(value)];
const pair = [...text("a"), ...text("b")];
const ID = Array.from({ length: 16 }, () => 7);
const TIME = Array.from({ length: 8 }, () => 9);

/** The parts of a snapshot that comes in pieces of so many bytes: of each key its slot, and all bytes from its options to the end of its value. */
function read(body: readonly number[], size = 1_000): readonly unknown[] {
  const bytes = Uint8Array.from([...bytesOf("REDIS0011"), ...body, 255, 1, 2, 3, 4, 5, 6, 7, 8, ...bytesOf("rest")]);
  const reader = new SnapshotReader(MOST);
  const found: unknown[] = [];
  let key: number[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    reader.push(bytes.subarray(at, at + size));
    for (let part = reader.next(); part !== undefined; part = reader.next()) {
      if (part.kind === "key") {
        key = [...part.bytes];
        found.push(`${part.database}:${part.slot}`);
      } else if (part.kind === "value") {
        key.push(...part.bytes);
        if (part.isLast) found.push(key);
      } else if (part.kind === "note") found.push(`note ${part.name}`);
      else if (part.kind === "library") found.push(`library ${part.bytes.length}`);
      else if (part.kind === "head") assert.equal(part.version, 11);
      else
        assert.equal(
          bytesOf("rest")
            .join()
            .startsWith([...reader.rest].join()),
          true,
        );
    }
  }
  return found;
}

const SLOT = slotOf(bytesOf("key"));
const group = (...more: readonly (readonly number[])[]): readonly number[] => [1, ...text("g"), 1, 2, ...more.flat()];
const pending = [1, ...ID, ...TIME, 1];
const owned = [1, ...ID];

/** Each type of value, with the bytes that stand behind the name of its key. */
const VALUES: readonly (readonly [what: string, type: number, value: readonly number[]])[] = [
  ["a string", 0, text("value")],
  ["an empty string", 0, [0]],
  ["a number in one byte", 0, [0xc0, 200]],
  ["a number in two bytes", 0, [0xc1, 1, 2]],
  ["a number in four bytes", 0, [0xc2, 1, 2, 3, 4]],
  ["a packed string", 0, [0xc3, 4, 0x40, 0x80, 1, 2, 3, 4]],
  ["a string whose length has 14 bits", 0, [0x41, 0x2c, ...Array.from({ length: 300 }, () => 1)]],
  ["a string whose length has 32 bits", 0, [0x80, 0, 0, 0, 3, 1, 2, 3]],
  ["a string whose length has 64 bits", 0, [0x81, 0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]],
  ["a list", 1, [2, ...pair]],
  ["an empty list", 1, [0]],
  ["a set", 2, [2, ...pair]],
  [
    "a sorted set with scores as text",
    3,
    [4, ...text("a"), 3, 49, 46, 53, ...text("b"), 253, ...text("c"), 254, ...text("d"), 255],
  ],
  ["a hash", 4, [1, ...pair]],
  ["a sorted set", 5, [1, ...text("a"), ...TIME]],
  ["what a module has written", 7, [0x81, ...TIME, 2, 5, 1, 0x40, 1, 3, 1, 2, 3, 4, 4, ...TIME, 5, ...text("text"), 0]],
  ...[9, 10, 11, 12, 13, 16, 17, 20].map((type) => [`a packed value of type ${type}`, type, text("packed")] as const),
  ["a list of packed parts", 14, [2, ...pair]],
  ["a list of parts of two kinds", 18, [2, 1, ...text("plain"), 2, ...text("packed")]],
  ["a stream", 15, [1, ...pair, 1, 2, 3, ...group(pending, [1, ...text("c"), ...TIME, ...owned])]],
  [
    "a stream with counts",
    19,
    [1, ...pair, 1, 2, 3, 4, 5, 6, 7, 8, ...group([3], pending, [1, ...text("c"), ...TIME, ...owned])],
  ],
  [
    "a stream with times",
    21,
    [1, ...pair, 1, 2, 3, 4, 5, 6, 7, 8, ...group([3], pending, [1, ...text("c"), ...TIME, ...TIME, ...owned])],
  ],
  ["a hash whose fields expire", 24, [...TIME, 2, 0, ...pair, 0x40, 5, ...pair]],
  ["a packed hash whose fields expire", 25, [...TIME, ...text("packed")]],
];

for (const [what, type, value] of VALUES)
  test(`${what} ends where the next key begins, however the bytes come`, () => {
    const key = [type, ...text("key"), ...value];
    const next = [0, ...text("next"), ...text("v")];
    const expected = [`0:${SLOT}`, key, `0:${slotOf(bytesOf("next"))}`, next];
    for (const size of [1, 2, 3, 7, 1_000]) assert.deepEqual(read([...key, ...next], size), expected);
  });

for (const [what, before] of [
  ["when it expires, in milliseconds", [252, ...TIME]],
  ["when it expires, in seconds", [253, 1, 2, 3, 4]],
  ["how often it is used", [249, 7]],
  ["how long it was not used", [248, 0x42, 7]],
  ["when it expires and how it is used", [252, ...TIME, 249, 7]],
] as const)
  test(`a key keeps what says ${what}`, () => {
    const key = [...before, 0, ...text("key"), ...text("v")];
    for (const size of [1, 5, 1_000]) assert.deepEqual(read(key, size), [`0:${SLOT}`, key]);
  });

test("databases, sizes and slots between keys say where keys are, and are no keys", () => {
  const key = [0, ...text("key"), ...text("v")];
  const between = [254, 3, 251, 1, 0, 244, 0x40, 9, 1, 0];
  for (const size of [1, 1_000]) assert.deepEqual(read([...between, ...key], size), [`3:${SLOT}`, key]);
});

test("more slots than a call of a function nests may stand before a key", () => {
  const key = [0, ...text("key"), ...text("v")];
  const slots = Array.from({ length: 100_000 }, () => [244, 1, 0, 0]).flat();
  assert.deepEqual(read([...slots, ...key]), [`0:${SLOT}`, key]);
});

test("notes and functions are parts of their own", () => {
  const [note, library] = [
    [250, ...text("redis-ver"), ...text("8.0.2")],
    [245, ...text("#!lua")],
  ];
  for (const size of [1, 1_000]) assert.deepEqual(read([...note, ...library], size), ["note redis-ver", "library 7"]);
});

for (const [what, name, stored] of [
  ["a number", "-12", [0xc0, 0xf4]],
  ["a larger number", "-3000", [0xc1, 0x48, 0xf4]],
  ["a number of four bytes", "1000003", [0xc2, 0x43, 0x42, 0x0f, 0x00]],
  ["packed", "aaaaaaaaaa", [0xc3, 5, 10, 0x00, 97, 0xe0, 0x00, 0x00]],
  ["one with a tag", "x{key}y", text("x{key}y")],
] as const)
  test(`the slot of a key whose name is ${what} is that of its name, which can be read`, () => {
    const key = [0, ...stored, ...text("v")];
    assert.deepEqual(read(key)[0], `0:${slotOf(bytesOf(name))}`);
    const reader = new SnapshotReader(MOST);
    reader.push(Uint8Array.from([...bytesOf("REDIS0011"), ...key]));
    assert.deepEqual([reader.next()?.kind, reader.next()?.kind], ["head", "key"]);
    assert.equal(Buffer.from(reader.keyName).toString(), name);
  });

for (const [what, body, code] of [
  ["a type that a later engine has written", [26, ...text("key")], "SLOTS_UNKNOWN_DATA"],
  ["data of a module beside its keys", [247, 1, 2], "SLOTS_UNKNOWN_DATA"],
  ["a piece of a module of an unknown kind", [7, ...text("key"), 1, 6], "SLOTS_MALFORMED_SNAPSHOT"],
  ["a name that claims to have 2^63 bytes", [0, 0x81, 0x80, 0, 0, 0, 0, 0, 0, 0, 1], "SLOTS_UNKNOWN_DATA"],
  ["a note that claims to have 4 GiB", [250, 0x80, 0xff, 0xff, 0xff, 0xff, 1], "SLOTS_UNKNOWN_DATA"],
  [
    "a packed name that claims to become 2^62 bytes",
    [0, 0xc3, 3, 0x81, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1, 97],
    "SLOTS_UNKNOWN_DATA",
  ],
  [
    "a packed name that claims more than it can become",
    [0, 0xc3, 3, 0x80, 0, 0x0f, 0, 0, 1, 2, 3, 1, 97],
    "SLOTS_MALFORMED_SNAPSHOT",
  ],
  ["a number of a kind that there is not", [0, 0xc4, 1, 1, 1, 1], "SLOTS_MALFORMED_SNAPSHOT"],
  ["a length of a kind that there is not", [0, 0x82, 1, 1, 1, 1], "SLOTS_MALFORMED_SNAPSHOT"],
  ["options of a key that have no end", Array.from({ length: 100 }, () => [249, 1]).flat(), "SLOTS_MALFORMED_SNAPSHOT"],
  ["a packed name that is damaged", [0, 0xc3, 2, 10, 0x20, 0x09, ...text("v")], "SLOTS_MALFORMED_SNAPSHOT"],
] as const)
  test(`${what} is refused`, () => {
    assert.throws(() => read(body), { code });
  });

test("what is no snapshot is refused", () => {
  const reader = new SnapshotReader(MOST);
  reader.push(bytesOf("-LOADING "));
  assert.throws(() => reader.next(), { code: "SLOTS_MALFORMED_SNAPSHOT" });
});

test("a value is passed on as it comes, and is never kept", () => {
  const reader = new SnapshotReader(MOST);
  const chunk = new Uint8Array(65_536);
  reader.push(Uint8Array.from([...bytesOf("REDIS0011"), 0, ...text("key"), 0x80, 0x20, 0, 0, 0]));
  assert.deepEqual([reader.next()?.kind, reader.next()?.kind], ["head", "key"]);
  let [passed, chunks] = [0, 0];
  for (; chunks < (512 * 1_024 * 1_024) / chunk.length; chunks++) {
    reader.push(chunk);
    for (let part = reader.next(); part !== undefined; part = reader.next())
      if (part.kind === "value") {
        passed += part.bytes.length;
        if (part.bytes.length === chunk.length) assert.equal(part.bytes.buffer, chunk.buffer);
      }
  }
  // its length stands before it
  assert.equal(passed, 512 * 1_024 * 1_024 + 5);
});

test("the checksum is that of the engines, in any pieces", () => {
  for (const pieces of [["123456789"], ["1", "23456789"], ["12345678", "9"], ["", "1234", "56789"]]) {
    const crc = new Crc64();
    for (const piece of pieces) crc.add(bytesOf(piece));
    assert.equal(Buffer.from(crc.sum).toString("hex"), "cad9b8c414d9c6e9");
  }
});

test("packed bytes are unpacked, also what repeats itself and what repeats at length", () => {
  assert.deepEqual(unpackLzf(Uint8Array.of(2, 97, 98, 99), 3), bytesOf("abc"));
  assert.deepEqual(unpackLzf(Uint8Array.of(0, 97, 0xe0, 11, 0), 21), bytesOf("a".repeat(21)));
  assert.equal(unpackLzf(Uint8Array.of(2, 97, 98, 99), 4), undefined);
  assert.equal(unpackLzf(Uint8Array.of(5, 97, 98), 6), undefined);
});
