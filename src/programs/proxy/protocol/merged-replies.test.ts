import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeArrays, mergeAt, mergeOks, mergeSums } from "./merged-replies.ts";

const ERROR = "-LOADING store: no primary for this database right now\r\n";

for (const [what, merge, replies, merged] of [
  ["integers are added", mergeSums, [":3\r\n", ":0\r\n", ":12345678901\r\n"], ":12345678904\r\n"],
  ["one OK stands for all", mergeOks, ["+OK\r\n", "+OK\r\n"], "+OK\r\n"],
  [
    "arrays are joined in the order of the shards",
    mergeArrays,
    ["*1\r\n$1\r\na\r\n", "*0\r\n", "*1\r\n$2\r\n\r\n\r\n"],
    "*2\r\n$1\r\na\r\n$2\r\n\r\n\r\n",
  ],
  ["no shard has an element", mergeArrays, ["*0\r\n", "*0\r\n"], "*0\r\n"],
  [
    "elements get their places",
    mergeAt([[2, 0], [1]], 3),
    ["*2\r\n$1\r\nc\r\n$-1\r\n", "*1\r\n$1\r\nb\r\n"],
    "*3\r\n$-1\r\n$1\r\nb\r\n$1\r\nc\r\n",
  ],
  [
    "nulls of RESP3 are elements",
    mergeAt([[1], [0]], 2),
    ["*1\r\n_\r\n", "*1\r\n$1\r\nb\r\n"],
    "*2\r\n$1\r\nb\r\n_\r\n",
  ],
  ["an error of one shard is the reply", mergeSums, [":3\r\n", ERROR], ERROR],
  ["an error beside arrays, too", mergeAt([[0], [1]], 2), [ERROR, "*1\r\n$1\r\nb\r\n"], ERROR],
] as const)
  test(`replies of shards: ${what}`, () => {
    assert.equal(merge(replies.map((reply) => Buffer.from(reply))).toString(), merged);
  });
