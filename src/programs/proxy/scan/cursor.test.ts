import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { cursorOf, epochTag, NEW, shardIn, withPosition, withTag } from "./cursor.ts";

const answer = (cursor: string): Buffer => Buffer.from(`*2\r\n$${cursor.length}\r\n${cursor}\r\n*1\r\n$3\r\nkey\r\n`);
const shown = (bytes: Buffer): string => /\r\n(\d+)\r\n/.exec(bytes.toString().slice(4))?.[1] ?? "";

test("a cursor comes back as the engine gave it, with its epoch, and any client's numbers can hold it", () => {
  const positions = fc.bigInt({ min: 1n, max: 2n ** 40n - 1n });
  fc.assert(
    fc.property(positions, fc.nat(), (position, epoch) => {
      const cursor = shown(withTag(answer(String(position)), epochTag(epoch)));
      assert.ok(Number.isSafeInteger(Number(cursor)), cursor);
      const back = cursorOf(encodeCommand(["SCAN", cursor, "COUNT", 10]));
      assert.deepEqual(back, { tag: epochTag(epoch), position: String(position) });
    }),
  );
});

test("a cursor of several shards also names its shard, and any client's numbers can hold it", () => {
  const positions = fc.bigInt({ min: 1n, max: 2n ** 31n - 1n });
  fc.assert(
    fc.property(positions, fc.nat(), fc.nat({ max: 511 }), (position, epoch, shard) => {
      const cursor = shown(withTag(answer(String(position)), epochTag(epoch), { shard, of: 512, nextTag: 0 }));
      assert.ok(Number.isSafeInteger(Number(cursor)), cursor);
      const back = cursorOf(encodeCommand(["SCAN", cursor]));
      assert.deepEqual(back && shardIn(back), { shard, cursor: { tag: epochTag(epoch), position: String(position) } });
    }),
  );
});

test("behind the last keys of a shard a scan begins at the next one, and behind those of the last shard it ends", () => {
  const next = cursorOf(encodeCommand(["SCAN", shown(withTag(answer("0"), 5, { shard: 1, of: 3, nextTag: 0 }))]));
  assert.deepEqual(next && shardIn(next), { shard: 2, cursor: NEW });
  assert.equal(shown(withTag(answer("0"), 5, { shard: 2, of: 3, nextTag: 0 })), "0");
});

test("neighbouring epochs have different tags, and none has that of a cursor without", () => {
  for (const epoch of [0, 1, 4093, 4094, 4095, 8190]) {
    assert.notEqual(epochTag(epoch), epochTag(epoch + 1));
    assert.notEqual(epochTag(epoch), 0);
  }
});

test("the end of a scan, an error and an answer of another form stay as they are", () => {
  for (const text of [answer("0").toString(), "-ERR invalid cursor\r\n", "*2\r\n:1\r\n:2\r\n"])
    assert.equal(withTag(Buffer.from(text), 5).toString(), text);
});

test("the cursor stands behind the key, if there is one", () => {
  assert.deepEqual(cursorOf(encodeCommand(["hscan", "1", "7"])), { tag: 0, position: "7" });
  const request = encodeCommand(["ZSCAN", "5", "5", "MATCH", "5"]);
  assert.equal(withPosition(request, "9").toString(), encodeCommand(["ZSCAN", "5", "9", "MATCH", "5"]).toString());
});

for (const args of [["SCAN"], ["SCAN", "x"], ["SCAN", "-1"], ["HSCAN", "1"], ["SCAN", "1".repeat(21)]])
  test(`${args.join(" ").slice(0, 12)} has no cursor`, () => {
    assert.equal(cursorOf(encodeCommand(args)), undefined);
  });
