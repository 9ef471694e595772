import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Fault } from "#kit/base/fault";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { INCOMPLETE } from "../../../ports/resp/frame-scanner.ts";
import { requestArguments } from "../../../ports/resp/command-frame.ts";
import { wordsOf } from "./arguments.ts";
import { faults } from "../faults.ts";
import { RequestScanner } from "./request-scanner.ts";

test("any chunking finds the same requests", () => {
  const request = fc.oneof(
    fc.array(fc.uint8Array({ maxLength: 30 }), { minLength: 1, maxLength: 5 }).map(encodeCommand),
    fc.constantFrom("PING\r\n", "set a b\n", "\r\n", "*0\r\n", "*-1\r\n").map((line) => Buffer.from(line)),
  );
  fc.assert(
    fc.property(fc.array(request, { minLength: 1 }), fc.array(fc.nat()), (requests, cuts) => {
      const stream = Buffer.concat(requests);
      let end = 0;
      const wanted = requests.map((bytes) => (end += bytes.length));
      assert.deepEqual(endsOf(stream, cuts), wanted);
    }),
  );
});

test("a request that lies in one piece shows where its name stands", () => {
  const scanner = new RequestScanner();
  const bytes = encodeCommand(["INCRBY", "counter", "5"]);
  assert.equal(scanner.next(bytes, 0, bytes.length), bytes.length);
  assert.equal(bytes.toString("latin1", scanner.nameAt, scanner.nameAt + scanner.nameLength), "INCRBY");
});

test("a request whose end has not arrived shows how many bytes of its string are missing", () => {
  const bytes = encodeCommand(["SET", "k", "v".repeat(1000)]);
  for (const [sent, missing] of [
    [bytes.length - 500, 500],
    [bytes.length - 1002, 1002],
    [bytes.length - 1, 1],
    [5, 1],
  ] as const) {
    const scanner = new RequestScanner();
    assert.equal(scanner.next(bytes, 0, sent), INCOMPLETE);
    assert.equal(scanner.missing, missing);
  }
});

test("an empty name is a request, an empty array is none", () => {
  const scanner = new RequestScanner();
  for (const [text, empty] of [
    ["*1\r\n$0\r\n\r\n", false],
    ["*0\r\n", true],
    ["*-1\r\n", true],
    ["*-10\r\n", true],
    ["*-2147483649\r\n", true],
  ] as const) {
    assert.equal(scanner.next(Buffer.from(text), 0, text.length), text.length);
    assert.equal(scanner.empty, empty, text);
  }
});

for (const text of [
  "*1\r\n+PING\r\n",
  "*1\r\n$4\r\nPINGxx",
  "*01\r\n$4\r\nPING\r\n",
  "*1\r\n$-1\r\n",
  "*1\r\n$04\r\nPING\r\n",
  "*x\r\n",
  "*\r\n",
  "*-02\r\n",
  "*-0\r\n",
  "*--1\r\n",
  "*-99999999999999999999\r\n",
  "*-\r\n",
  "*1048577\r\n",
  "*1\r\n$536870913\r\n",
  "*1\n$4\nPING\n",
  "*1\r\n$4\rxPING\r\n",
])
  test(`${JSON.stringify(text)} is refused, in one piece and byte by byte`, () => {
    for (const cuts of [[], [...text].keys()]) {
      assert.throws(() => endsOf(Buffer.from(text + "\r\n".repeat(3)), [...cuts]), { code: faults.badRequest.code });
    }
  });

test("bytes that are no requests end in a Fault or in waiting, never in a hang or another error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat()), (bytes, cuts) => {
      try {
        endsOf(Buffer.concat([Buffer.from("*2\r\n$1\r\na\r\n"), bytes]), cuts);
      } catch (error) {
        assert.ok(error instanceof Fault && error.code === faults.badRequest.code, String(error));
      }
    }),
  );
});

test("a line without end is refused", () => {
  const scanner = new RequestScanner();
  const piece = Buffer.alloc(40_000, "x");
  assert.equal(scanner.next(piece, 0, piece.length), INCOMPLETE);
  assert.throws(() => scanner.next(piece, 0, piece.length), { code: faults.badRequest.code });
});

test("the arguments of a request are those it was made of", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array(), { minLength: 1 }), (args) => {
      assert.deepEqual(
        requestArguments(encodeCommand(args)),
        args.map((arg) => Buffer.from(arg)),
      );
    }),
  );
});

for (const [line, words] of [
  ["SET a b\r\n", ["SET", "a", "b"]],
  ["  GET   a  \n", ["GET", "a"]],
  [`SET "a b" 'c d'\r\n`, ["SET", "a b", "c d"]],
  [String.raw`SET "\x41\n\"" 'it\'s'` + "\r\n", ["SET", 'A\n"', "it's"]],
  ["\r\n", []],
  [`SET "a\r\n`, undefined],
  [`SET "a"b\r\n`, undefined],
] as const)
  test(`the line ${JSON.stringify(line)} has the words ${JSON.stringify(words)}`, () => {
    assert.deepEqual(
      wordsOf(Buffer.from(line))?.map((word) => word.toString("latin1")),
      words,
    );
  });

function endsOf(stream: Buffer, cuts: readonly number[]): number[] {
  const scanner = new RequestScanner();
  const ends: number[] = [];
  const limits = [...new Set([...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].sort((a, b) => a - b);
  let at = 0;
  for (const limit of limits)
    for (let past = 0; (past = scanner.next(stream, at, limit)) !== INCOMPLETE || ((at = limit), false); at = past)
      ends.push(past);
  return ends;
}
