import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fault } from "#kit/base/fault";
import { decodeReply } from "./decode.ts";
import { ReplyDecoder } from "./reply-decoder.ts";
import { encodeCommand } from "./encode.ts";
import { faults } from "./faults.ts";
import { Push, ReplyError } from "./reply.ts";
import type { Reply } from "./reply.ts";
import { FrameScanner, INCOMPLETE } from "./frame-scanner.ts";
import { FrameSplitter } from "./frame-splitter.ts";

test("any chunking gives the same replies", () => {
  fc.assert(
    fc.property(fc.array(wire(), { minLength: 1, maxLength: 12 }), fc.array(fc.nat()), (samples, cuts) => {
      const decoder = new ReplyDecoder();
      const stream = Buffer.concat(samples.map((sample) => sample.bytes));
      const got = chunksOf(stream, cuts).flatMap((chunk) => decoder.push(chunk));
      assert.deepEqual(
        got,
        samples.map((sample) => sample.value),
      );
    }),
  );
});

test("the scanner finds the same frame ends byte by byte as in one piece", () => {
  fc.assert(
    fc.property(fc.array(wire(), { minLength: 1, maxLength: 6 }), (samples) => {
      const stream = Buffer.concat(samples.map((sample) => sample.bytes));
      let end = 0;
      const wanted = samples.map((sample) => (end += sample.bytes.length));
      const byteByByte = new FrameScanner();
      const ends = [...stream.keys()]
        .map((at) => byteByByte.next(stream, at, at + 1))
        .filter((past) => past !== INCOMPLETE);
      assert.deepEqual(ends, wanted);
    }),
  );
});

test("a command decodes to its arguments, byte for byte", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array(), { minLength: 1 }), (args) => {
      assert.deepEqual(decodeReply(encodeCommand(args), "bytes"), args);
    }),
  );
});

test("text and numbers are sent as UTF-8 and decimals", () => {
  assert.equal(
    encodeCommand(["SET", "ключ", 7, 9n]).toString(),
    "*4\r\n$3\r\nSET\r\n$8\r\nключ\r\n$1\r\n7\r\n$1\r\n9\r\n",
  );
});

test("bytes that are not RESP end in a Fault or in waiting for more, never in a hang or another error", () => {
  fc.assert(
    fc.property(fc.array(noise(), { maxLength: 40 }), (pieces) => {
      const decoder = new ReplyDecoder("text", { maxFrameBytes: 4096 });
      try {
        for (const piece of pieces) decoder.push(piece);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.code, /^RESP_(MALFORMED|TOO_LARGE)$/);
      }
    }),
  );
});

test("a whole frame with one byte changed decodes to something, or to a Fault", () => {
  fc.assert(
    fc.property(wire(), fc.nat(), fc.integer({ min: 0, max: 255 }), (sample, at, byte) => {
      const bytes = Buffer.from(sample.bytes);
      bytes[at % bytes.length] = byte;
      try {
        decodeReply(bytes);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
      }
    }),
  );
});

for (const [name, text] of [
  ["an unknown type", "?1\r\n"],
  ["a length that is no number", "$x\r\n"],
  ["a length without digits", "$\r\n"],
  ["a negative length other than -1", "*-2\r\n"],
  ["a negative length of a map", "%-1\r\n"],
  ["a length with too many digits", "*99999999999\r\n"],
  ["a carriage return alone", "+OK\rX"],
  ["a string longer than it says", "$2\r\nabc\r\n"],
  ["a streamed string", "$?\r\n"],
] as const) {
  test(`${name} is malformed`, () => {
    assert.throws(() => new ReplyDecoder().push(Buffer.from(text)), { code: faults.malformed.code });
  });
}

test("a string beyond the limit is refused when its length is read, before its bytes arrive", () => {
  const decoder = new ReplyDecoder("text", { maxFrameBytes: 1000 });
  assert.throws(() => decoder.push(Buffer.from("$1001\r\n")), { code: faults.tooLarge.code });
});

test("a line without end is refused at the limit", () => {
  const decoder = new ReplyDecoder("text", { maxFrameBytes: 1000 });
  assert.throws(() => decoder.push(Buffer.alloc(1001, "+")), { code: faults.tooLarge.code });
});

test("nesting is refused beyond 64 levels", () => {
  assert.throws(() => new ReplyDecoder().push(Buffer.from("*1\r\n".repeat(100) + ":1\r\n")), {
    code: faults.malformed.code,
  });
});

interface Sample {
  readonly value: Reply;
  readonly bytes: Buffer;
}

/** Replies together with their spelling on the wire. */
function wire(): fc.Arbitrary<Sample> {
  return fc.letrec<{ any: Sample; leaf: Sample; list: Sample; map: Sample; push: Sample; described: Sample }>(
    (tie) => ({
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        tie("leaf"),
        tie("list"),
        tie("map"),
        tie("described"),
      ),
      leaf: leaf(),
      list: fc.tuple(fc.constantFrom("*", "~"), fc.array(tie("any"), { maxLength: 5 })).map(([type, items]) =>
        aggregate(
          type,
          items,
          items.map((item) => item.value),
        ),
      ),
      push: fc
        .array(tie("any"), { maxLength: 3 })
        .map((items) => aggregate(">", items, new Push(items.map((item) => item.value)))),
      map: fc.array(fc.tuple(fc.string(), tie("any")), { maxLength: 4 }).map((pairs) => ({
        value: new Map(pairs.map(([key, item]): [Reply, Reply] => [key, item.value])),
        bytes: Buffer.concat([
          spelled(`%${pairs.length}`),
          ...pairs.flatMap(([key, item]) => [bulk("$", key), item.bytes]),
        ]),
      })),
      described: tie("any").map((item) => ({
        value: item.value,
        bytes: Buffer.concat([spelled("|1"), spelled("+ttl"), spelled(":9"), item.bytes]),
      })),
    }),
  ).any;
}

function leaf(): fc.Arbitrary<Sample> {
  const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, " "));
  return fc.oneof(
    line.map((text) => ({ value: text, bytes: spelled(`+${text}`) })),
    line.map((text) => ({ value: new ReplyError(text), bytes: spelled(`-${text}`) })),
    line.map((text) => ({ value: new ReplyError(text), bytes: bulk("!", text) })),
    fc.string().map((text) => ({ value: text, bytes: bulk("$", text) })),
    fc.string().map((text) => ({ value: text, bytes: bulk("=", `txt:${text}`) })),
    fc.maxSafeInteger().map((n) => ({ value: n, bytes: spelled(`:${n}`) })),
    fc.bigInt().map((n) => ({ value: n, bytes: spelled(`(${n}`) })),
    fc.boolean().map((b) => ({ value: b, bytes: spelled(b ? "#t" : "#f") })),
    fc
      .double({ noNaN: true })
      .map((n) => ({ value: n, bytes: spelled(`,${n === 0 ? "0" : n}`.replace("Infinity", "inf")) }))
      .map(({ value, bytes }) => ({ value: Object.is(value, -0) ? 0 : value, bytes })),
    fc.constantFrom("_", "$-1", "*-1").map((text) => ({ value: null, bytes: spelled(text) })),
  );
}

function aggregate(type: string, items: readonly Sample[], value: Reply): Sample {
  return { value, bytes: Buffer.concat([spelled(`${type}${items.length}`), ...items.map((item) => item.bytes)]) };
}

function bulk(type: string, text: string): Buffer {
  return Buffer.from(`${type}${Buffer.byteLength(text)}\r\n${text}\r\n`);
}

function spelled(line: string): Buffer {
  return Buffer.from(`${line}\r\n`);
}

function noise(): fc.Arbitrary<Buffer> {
  const fragment = fc.constantFrom(
    "*1\r\n",
    "$3\r\nab",
    "\r\n",
    ":1\r\n",
    "%2\r\n",
    "$-1\r\n",
    "*4294967295\r\n",
    "-ERR x\r\n",
  );
  return fc.oneof(
    fragment.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)),
  );
}

function chunksOf(stream: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b);
  return [...ends, stream.length].map((end, i, all) => stream.subarray(all[i - 1] ?? 0, end));
}

test("a frame that arrives in many parts is put together once", (t) => {
  const PARTS = 100;
  const value = Buffer.alloc(10_000, "v");
  let copied = 0;
  const concat = Buffer.concat.bind(Buffer);
  t.mock.method(Buffer, "concat", (parts: readonly Uint8Array[]) => {
    const whole = concat(parts);
    copied += whole.length;
    return whole;
  });
  const splitter = new FrameSplitter();
  splitter.push(Buffer.from(`$${PARTS * value.length}\r\n`));
  for (let part = 0; part < PARTS; part += 1) assert.deepEqual(splitter.push(value), []);
  assert.equal(splitter.push(Buffer.from("\r\n+OK\r\n")).length, 2);
  assert.ok(copied < 1.1 * PARTS * value.length, `${copied} bytes were copied`);
});
