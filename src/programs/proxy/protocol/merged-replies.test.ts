import assert from "node:assert/strict";
import { test } from "node:test";
import {
  mergeArrays,
  mergeAt,
  mergeFirst,
  mergeFound,
  mergeLeast,
  mergeNewest,
  mergeOks,
  mergeRandom,
  mergeRunning,
  mergeScripts,
  mergeSums,
  mergeTexts,
  numberTexts,
} from "./merged-replies.ts";

const ERROR = "-LOADING store: no primary for this database right now\r\n";

/** Of a log, with its number and its time. */
function entry(number: number, time: number): string {
  return `*3\r\n:${number}\r\n:${time}\r\n$1\r\nx\r\n`;
}

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
  ["the lowest of integers", mergeLeast, [":30\r\n", ":7\r\n"], ":7\r\n"],
  [
    "what one shard lacks is there when it can be brought",
    mergeScripts((at) => at === 2),
    ["*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n", "*4\r\n:1\r\n:1\r\n:0\r\n:0\r\n"],
    "*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n",
  ],
  ["one shard has it", mergeFound, ["-NOSCRIPT none\r\n", "$1\r\nx\r\n"], "$1\r\nx\r\n"],
  ["no shard has it", mergeFound, ["-NOSCRIPT none\r\n", "-NOSCRIPT none\r\n"], "-NOSCRIPT none\r\n"],
  [
    "one shard runs something",
    mergeRunning,
    ["*2\r\n$3\r\nrun\r\n*-1\r\n", "*2\r\n$3\r\nrun\r\n*0\r\n"],
    "*2\r\n$3\r\nrun\r\n*0\r\n",
  ],
  ["one reply stands for all", mergeFirst, ["$1\r\na\r\n", "$1\r\na\r\n"], "$1\r\na\r\n"],
  [
    "the newest entries of logs",
    mergeNewest(2),
    [`*2\r\n${entry(8, 90)}${entry(7, 50)}`, `*1\r\n${entry(0, 60)}`],
    `*2\r\n${entry(8, 90)}${entry(0, 60)}`,
  ],
  [
    "all entries of logs",
    mergeNewest(-1),
    [`*1\r\n${entry(7, 50)}`, `*1\r\n${entry(0, 60)}`],
    `*2\r\n${entry(0, 60)}${entry(7, 50)}`,
  ],
  [
    "texts have the numbers of their shards",
    mergeTexts(numberTexts),
    ["$1\r\na\r\n", "$2\r\nbc\r\n"],
    "$27\r\n# Shard 1\r\na\r\n# Shard 2\r\nbc\r\n",
  ],
  [
    "a text of RESP3 stays one",
    mergeTexts((texts) => texts.join("")),
    ["=5\r\ntxt:a\r\n", "=6\r\ntxt:bc\r\n"],
    "=7\r\ntxt:abc\r\n",
  ],
  [
    "a key of the first shard, which has 3 of 4",
    mergeRandom(0.7),
    [":3\r\n", "$1\r\na\r\n", ":1\r\n", "$1\r\nb\r\n"],
    "$1\r\na\r\n",
  ],
  ["and of the other", mergeRandom(0.8), [":3\r\n", "$1\r\na\r\n", ":1\r\n", "$1\r\nb\r\n"], "$1\r\nb\r\n"],
  [
    "a shard whose keys have just expired has none",
    mergeRandom(0.1),
    [":3\r\n", "$-1\r\n", ":1\r\n", "$1\r\nb\r\n"],
    "$1\r\nb\r\n",
  ],
  ["no shard has a key", mergeRandom(0.1), [":0\r\n", "_\r\n", ":0\r\n", "_\r\n"], "_\r\n"],
  ["an error of one shard is the reply", mergeSums, [":3\r\n", ERROR], ERROR],
  ["an error beside arrays, too", mergeAt([[0], [1]], 2), [ERROR, "*1\r\n$1\r\nb\r\n"], ERROR],
] as const)
  test(`replies of shards: ${what}`, () => {
    assert.equal(merge(replies.map((reply) => Buffer.from(reply))).toString(), merged);
  });
