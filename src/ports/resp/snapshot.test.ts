import assert from "node:assert/strict";
import { test } from "node:test";
import { readSnapshotForm, snapshotPieces } from "./snapshot.ts";
import { SocketReader } from "./socket-reader.ts";

const MARK = "m".repeat(39) + "!";
const DATA = Array.from({ length: 300 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
/** A part of the mark, as data may have it too. */
const ALIKE = `${DATA}${MARK.slice(0, 30)}x`;

for (const [rule, head, data, end] of [
  ["to the mark that was named", `$EOF:${MARK}`, DATA, MARK],
  ["to that mark, where its beginning stands in the data", `$EOF:${MARK}`, ALIKE, MARK],
  ["of fewer bytes than the mark has", `$EOF:${MARK}`, "few", MARK],
  ["of no bytes", `$EOF:${MARK}`, "", MARK],
  ["of a length that was named", `$${DATA.length}`, DATA, ""],
] as const)
  test(`a snapshot ${rule} is the same in whatever pieces it comes`, async () => {
    for (const size of [1, 2, 7, 39, 40, 41, 79, 80, 81, 1_000])
      assert.equal(await read(`${head}\r\n`, `${data}${end}`, size), data, `${size} bytes at once`);
  });

test("a snapshot that ends before its mark is none", async () => {
  await assert.rejects(read(`$EOF:${MARK}\r\n`, `${DATA}${MARK.slice(0, 39)}`, 50), { code: "RESP_CLOSED" });
});

async function read(head: string, body: string, size: number): Promise<string> {
  const reader = new SocketReader(chunks(head, body, size));
  const pieces: Buffer[] = [];
  for await (const piece of snapshotPieces(reader, await readSnapshotForm(reader))) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** An engine waits between the head and what it sends. */
async function* chunks(head: string, body: string, size: number): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(head));
  for (let at = 0; at < body.length; at += size) yield Buffer.from(body.slice(at, at + size));
}
