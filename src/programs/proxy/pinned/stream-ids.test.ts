import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { StreamIds } from "./stream-ids.ts";

const STREAMS = Array.from({ length: 1_000 }, (_, i) => `k${i}`);
const REQUEST = encodeCommand(["XREAD", "STREAMS", ...STREAMS, ...STREAMS.map(() => "$")]);
const ANSWER = Buffer.from("*2\r\n$17\r\nlast-generated-id\r\n$3\r\n1-1\r\n");

type Settle = (answer: Buffer | undefined) => void;

test("the ids of very many streams are asked for a few at a time, each once", () => {
  const ids = new StreamIds();
  const [asked, open]: [string[], Settle[]] = [[], []];
  const ask = (key: Buffer, settled: Settle): void => {
    asked.push(key.toString());
    open.push(settled);
  };
  assert.equal(ids.resolve(REQUEST, ask), undefined);
  let most = 0;
  for (let settle = open.shift(); settle !== undefined; settle = open.shift()) {
    most = Math.max(most, open.length + 1);
    assert.equal(ids.resolve(REQUEST, ask), undefined);
    settle(ANSWER);
  }
  assert.deepEqual(asked, STREAMS);
  assert.ok(most < STREAMS.length / 2, `${most} at once`);
  assert.deepEqual(
    ids.resolve(REQUEST, ask),
    encodeCommand(["XREAD", "STREAMS", ...STREAMS, ...STREAMS.map(() => "1-1")]),
  );
});

test("nothing more is asked for when a question is not answered any more", () => {
  const ids = new StreamIds();
  const open: Settle[] = [];
  ids.resolve(REQUEST, (_key, settled) => void open.push(settled));
  const first = [...open];
  for (const settle of first) settle(undefined);
  assert.equal(open.length, first.length);
});
