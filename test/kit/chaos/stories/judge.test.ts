import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeStory, type Circumstances } from "./judge.ts";
import type { Answer, Answered, Step } from "./story.ts";

const CALM: Circumstances = {
  changes: [],
  isCalm: true,
  losesNothing: true,
  timesHoldUntil: Number.POSITIVE_INFINITY,
};
const MS_NS = 1e6;

type Asked = readonly [command: string, reply: Answered | Answer, atMs?: number];

/** Requests that take a millisecond each, one second after the other unless a row says when. */
function steps(...rows: readonly Asked[]): readonly Step[] {
  return rows.map(([command, given, atMs = 0], at) => {
    const begin = (atMs || (at + 1) * 1_000) * MS_NS;
    const answer: Answer =
      given !== null && typeof given === "object" && "kind" in given ? given : { kind: "reply", reply: given };
    return { command: command.split(" "), begin, end: begin + MS_NS, answer };
  });
}

const judged = (rows: readonly Asked[], around: Partial<Circumstances> = {}) =>
  judgeStory({ name: "story", steps: steps(...rows) }, { ...CALM, ...around });

const none: Answer = { kind: "none" };
const error = (text: string): Answer => ({ kind: "error", text });

/** Each row ends with an answer that is right; any other one is found. */
const RIGHT: Readonly<Record<string, readonly Asked[]>> = {
  "a string is read as it was set": [
    ["SET a 1", "OK"],
    ["GET a", "1"],
  ],
  "a key that is not there has no value": [["GET a", null]],
  "what is appended is behind": [
    ["SET a 1", "OK"],
    ["APPEND a 23", 3],
    ["GET a", "123"],
  ],
  "a counter adds up": [
    ["INCRBY a 2", 2],
    ["INCRBY a 3", 5],
  ],
  "a key that is set stays as NX wants it": [
    ["SET a 1", "OK"],
    ["SET a 2 NX", null],
    ["GET a", "1"],
  ],
  "a key that was taken is gone": [
    ["SET a 1", "OK"],
    ["GETDEL a", "1"],
    ["EXISTS a", 0],
  ],
  "a key is there before its time has passed": [
    ["SET a 1 PX 5000", "OK"],
    ["GET a", "1"],
  ],
  "a key is gone when its time has passed": [
    ["SET a 1 PX 500", "OK"],
    ["GET a", null],
  ],
  "a key without a time stays": [
    ["SET a 1 PX 500", "OK", 1_000],
    ["PERSIST a", 1, 1_100],
    ["GET a", "1", 9_000],
  ],
  "a time that is given again counts": [
    ["SET a 1 PX 500", "OK", 1_000],
    ["PEXPIRE a 9000", 1, 1_100],
    ["GET a", "1"],
  ],
  "a counter that has expired begins anew": [
    ["SET a 7 PX 500", "OK"],
    ["INCRBY a 1", 1],
    ["PTTL a", -1],
  ],
  "a key keeps its time when it is changed": [
    ["SET a 1 PX 9000", "OK"],
    ["INCRBY a 1", 2],
    ["EXISTS a", 1, 8_000],
    ["GET a", null, 99_000],
  ],
  "a field is read as it was set": [
    ["HSET a f 1 g 2", 2],
    ["HSET a f 3", 0],
    ["HGET a f", "3"],
  ],
  "a hash has so many fields": [
    ["HSET a f 1 g 2", 2],
    ["HDEL a f", 1],
    ["HLEN a", 1],
  ],
  "a hash without a field is no key": [
    ["HSET a f 1", 1],
    ["HDEL a f", 1],
    ["EXISTS a", 0],
  ],
  "a field counts": [
    ["HINCRBY a f 5", 5],
    ["HINCRBY a f 5", 10],
  ],
  "the first of a list comes first": [
    ["RPUSH a 1 2 3", 3],
    ["LPOP a", "1"],
    ["LRANGE a 0 5", ["2", "3"]],
  ],
  "the last of a list comes last": [
    ["RPUSH a 1 2 3", 3],
    ["RPOP a", "3"],
    ["LLEN a", 2],
  ],
  "an item is read as it was set": [
    ["RPUSH a 1 2 3", 3],
    ["LSET a 1 x", "OK"],
    ["LINDEX a 1", "x"],
  ],
  "a member is in a set once": [
    ["SADD a 1 2", 2],
    ["SADD a 2 3", 1],
    ["SCARD a", 3],
  ],
  "a member that was taken is gone": [
    ["SADD a 1 2", 2],
    ["SPOP a", "2"],
    ["SISMEMBER a 2", 0],
  ],
  "what a set never had is not taken": [
    ["SADD a 1", 1],
    ["SREM a 2", 0],
    ["SPOP a", "1"],
  ],
  "members are ranked by their score": [
    ["ZADD a 2 x 1 y 1 w", 3],
    ["ZRANGE a 0 9", ["w", "y", "x"]],
    ["ZRANK a x", 2],
  ],
  "a score adds up": [
    ["ZADD a 2 x", 1],
    ["ZINCRBY a 3 x", "5"],
    ["ZSCORE a x", "5"],
  ],
  "the least is taken": [
    ["ZADD a 2 x 1 y", 2],
    ["ZPOPMIN a", ["y", "1"]],
    ["ZCARD a", 1],
  ],
  "a script is answered as the command that it executes": [
    ["INCRBY a 2", 2],
    ["FCALL lives_count 1 a 3", 5],
    ["GET a", "5"],
  ],
  "entries are given to a group once": [
    ["XGROUP CREATE s g 0 MKSTREAM", "OK"],
    ["XADD s 1-1 f v", "1-1"],
    ["XREADGROUP GROUP g c COUNT 3 STREAMS s >", ["s", [["1-1", ["f", "v"]]]]],
    ["XREADGROUP GROUP g c COUNT 3 STREAMS s >", null],
  ],
  "an entry waits until it is acknowledged": [
    ["XGROUP CREATE s g 0 MKSTREAM", "OK"],
    ["XADD s 1-1 f v", "1-1"],
    ["XREADGROUP GROUP g c COUNT 3 STREAMS s >", ["s", [["1-1", ["f", "v"]]]]],
    ["XPENDING s g", [1, "1-1", "1-1", [["c", "1"]]]],
    ["XACK s g 1-1", 1],
    ["XPENDING s g", [0, null, null, null]],
  ],
  "a stream has so many entries": [
    ["XADD s 1-1 f v", "1-1"],
    ["XADD s 2-1 f v", "2-1"],
    ["XLEN s", 2],
  ],
  "a blocked pop takes what is there": [
    ["RPUSH a 1 2", 2],
    ["BRPOP a 0.2", ["a", "2"]],
    ["BLPOP a 0.2", ["a", "1"]],
    ["BLPOP a 0.2", null],
  ],
  "a transaction is answered as one": [
    ["MULTI", "OK"],
    ["INCRBY a 1", "QUEUED"],
    ["RPUSH b x", "QUEUED"],
    ["EXEC", [1, 1]],
  ],
  "a transaction that is discarded changes nothing": [
    ["MULTI", "OK"],
    ["INCRBY a 1", "QUEUED"],
    ["DISCARD", "OK"],
    ["GET a", null],
  ],
  "a value of another type is refused": [
    ["HSET a f 1", 1],
    ["GET a", error("WRONGTYPE Operation against a key")],
  ],
  "a number with a zero before it is none": [
    ["SET a 0", "OK"],
    ["APPEND a 1", 2],
    ["INCRBY a 1", error("ERR value is not an integer or out of range")],
    ["GET a", "01"],
  ],
};

for (const [rule, rows] of Object.entries(RIGHT))
  test(`lives: ${rule}`, () => {
    assert.deepEqual(judged(rows), { answers: rows.length, wrong: undefined });
    const [command = "", , atMs] = rows.at(-1) ?? ["", null];
    for (const wrong of ["another", 1_000_000, null, ["another"]].filter((one) => one !== rows.at(-1)?.[1])) {
      const found = judged([...rows.slice(0, -1), [command, wrong, atMs ?? 0]]);
      assert.ok(found.wrong?.includes(command), `${JSON.stringify(wrong)} is found`);
    }
  });

test("lives: a key that is about to expire is there or not, and stays what it was found to be", () => {
  for (const seen of ["1", null] as const)
    assert.equal(
      judged([
        ["SET a 1 PX 500", "OK", 1_000],
        ["GET a", seen, 1_500],
      ]).wrong,
      undefined,
    );
  const back: readonly Asked[] = [
    ["SET a 1 PX 500", "OK", 1_000],
    ["GET a", null, 1_500],
    ["GET a", "1", 1_510],
  ];
  assert.ok(judged(back).wrong);
  assert.ok(
    judged([
      ["SET a 1 PX 9000", "OK"],
      ["PTTL a", 200],
    ]).wrong,
    "the time is wrong",
  );
});

test("lives: where the date of an engine was set, a key may expire at any time, and its value is right as before", () => {
  const around = { timesHoldUntil: 1_500 * MS_NS };
  const wrongWhere = (seen: Answered): string | undefined => {
    const rows: readonly Asked[] = [
      ["SET a 1 PX 9000", "OK"],
      ["GET a", seen],
    ];
    return judged(rows, around).wrong;
  };
  assert.equal(wrongWhere(null), undefined);
  assert.ok(wrongWhere("2"));
});

test("lives: what was not answered was not executed where nothing fails, and is not known where something does", () => {
  const rows: readonly Asked[] = [
    ["INCRBY a 1", none],
    ["INCRBY a 1", 1],
  ];
  assert.deepEqual(judged(rows), { answers: 1, wrong: undefined });
  assert.ok(
    judged([
      ["INCRBY a 1", none],
      ["INCRBY a 1", 2],
    ]).wrong,
  );
  assert.deepEqual(
    judged(
      [
        ["INCRBY a 1", none],
        ["INCRBY a 1", 7],
      ],
      { isCalm: false },
    ),
    { answers: 0, wrong: undefined },
  );
});

test("lives: a refusal is wrong where nothing fails, and an error about a value always", () => {
  const full = error("MISCONF the volume is full");
  assert.ok(judged([["SET a 1", full]]).wrong);
  assert.equal(judged([["SET a 1", full]], { isCalm: false }).wrong, undefined);
  for (const text of ["WRONGTYPE Operation", "ERR unknown command", "NOGROUP No such", "ERR value is not an integer"])
    assert.ok(judged([["SET a 1", error(text)]], { isCalm: false }).wrong, text);
});

test("lives: after a change that may lose something the rest of a story is not judged, and else it is", () => {
  const rows: readonly Asked[] = [
    ["INCRBY a 1", 1],
    ["INCRBY a 1", 2],
    ["INCRBY a 1", 2],
  ];
  const changes = [{ from: 2_500 * MS_NS, to: 2_600 * MS_NS }];
  assert.deepEqual(judged(rows, { changes, losesNothing: false, isCalm: false }), { answers: 2, wrong: undefined });
  assert.ok(judged(rows, { changes }).wrong);
});
