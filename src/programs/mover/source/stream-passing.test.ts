import assert from "node:assert/strict";
import { test } from "node:test";
import { destinationsOf } from "../../../core/slots/passage.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { argumentsOf } from "../../../ports/resp/command-frame.ts";
import { FrameSplitter } from "../../../ports/resp/frame-splitter.ts";
import { StreamPassing } from "./stream-passing.ts";

/** What each of two targets gets of a stream: the slot of `b` is the first one's, that of `a` the second one's. */
function pass(commands: readonly string[], isOnly = true) {
  const got: [string[], string[]] = [[], []];
  const targets = got.map((lines) => ({
    stream: (database: number, bytes: Uint8Array) => {
      const all = new FrameSplitter().push(Buffer.from(bytes)).map((frame) => argumentsOf(frame).join(" "));
      lines.push(`${database}: ${all.join("; ")}`);
    },
  }));
  const halves = [[{ from: 0, to: 8_191 }], [{ from: 8_192, to: 16_383 }]];
  const destinations = destinationsOf([{ from: 0, to: 16_383 }], halves);
  const passing = new StreamPassing({ destinations, targets, forFunctions: [1], isOnly });
  for (const command of commands) passing.pass(encodeCommand(command.split(" ")));
  const touched = passing.touched.some(10).map(({ database, key }) => `${database}:${Buffer.from(key).toString()}`);
  return { first: got[0], second: got[1], touched };
}

for (const [rule, commands, first, second] of [
  ["a command goes to the target of its slot", ["SET a 1", "SET b 2"], ["0: SET b 2"], ["0: SET a 1"]],
  [
    "in the database that is selected",
    ["SELECT 3", "SET a 1", "SELECT 0", "SET a 2"],
    [],
    ["3: SET a 1", "0: SET a 2"],
  ],
  ["keys of one command are split", ["DEL a b {a}2"], ["0: DEL b"], ["0: DEL a {a}2"]],
  ["what was set together was new", ["MSETNX a 1 b 2"], ["0: MSET b 2"], ["0: MSET a 1"]],
  ["functions go to the targets that have them of this source", ["FUNCTION FLUSH"], [], ["0: FUNCTION FLUSH"]],
  ["databases are emptied at all targets", ["FLUSHDB"], ["0: FLUSHDB"], ["0: FLUSHDB"]],
  [
    "a transaction stays one at each target",
    ["MULTI", "SET a 1", "SET b 1", "INCR a", "EXEC"],
    ["0: SET b 1"],
    ["0: MULTI; SET a 1; INCR a; EXEC"],
  ],
  [
    "a transaction that selects a database leaves the former one selected",
    ["MULTI", "SET a 1", "SELECT 2", "SET a 2", "EXEC", "SELECT 0", "SET a 3"],
    [],
    ["0: MULTI; SET a 1; SELECT 2; SET a 2; SELECT 0; EXEC", "0: SET a 3"],
  ],
  ["a transaction without a key of a target is none there", ["MULTI", "SET a 1", "EXEC"], [], ["0: SET a 1"]],
] as const)
  test(rule, () => {
    assert.deepEqual(pass(commands), { first: [...first], second: [...second], touched: [] });
  });

for (const [rule, commands, touched] of [
  ["keys of a command over several targets are touched", ["RENAME a b"], ["0:a", "0:b"]],
  ["in the other database too", ["SELECT 1", "COPY a b DB 4"], ["1:a", "4:a", "1:b", "4:b"]],
  [
    "what follows from a touched key is touched",
    ["RENAME a b", "RENAME {b}2 b", "APPEND a x"],
    ["0:a", "0:b", "0:{b}2"],
  ],
  ["a touched key that goes to another database is touched there", ["RENAME a b", "MOVE a 5"], ["0:a", "0:b", "5:a"]],
] as const)
  test(rule, () => {
    assert.deepEqual(pass(commands), { first: [], second: [], touched: [...touched] });
  });

test("a touched key of another database is another key", () => {
  assert.deepEqual(pass(["RENAME a b", "SELECT 1", "APPEND a x"]).second, ["1: APPEND a x"]);
});

for (const [what, commands, isOnly, code] of [
  ["databases of one of several sources are emptied", ["FLUSHALL"], false, "MOVER_FLUSHED"],
  ["databases are swapped while keys are touched", ["RENAME a b", "SWAPDB 0 1"], true, "MOVER_FLUSHED"],
  ["a command is not known", ["NOSUCH a"], true, "MOVER_UNKNOWN_COMMAND"],
] as const)
  test(`no target can have what the source has when ${what}`, () => {
    assert.throws(() => pass(commands, isOnly), { code });
  });

/** What is misplaced at the shard of the slot of `b` after the commands of its stream; the slots of `a` and `d` are another one's. */
function misplacedAfter(commands: readonly string[]) {
  const passing = new StreamPassing({
    destinations: destinationsOf([{ from: 0, to: 8_191 }], [[{ from: 0, to: 16_383 }]]),
    targets: [{ stream: () => undefined }],
    forFunctions: [],
    isOnly: false,
  });
  for (const command of commands) passing.pass(encodeCommand(command.split(" ")));
  return passing.misplaced.found;
}

const LONG_NAME = "a".repeat(100_000);
const many = (command: string, words = ""): readonly string[] =>
  Array.from({ length: 3_000 }, (_, at) => `${command} {a}${at}${words}`);

for (const [rule, commands, keys, name, database = 0] of [
  [
    "keys whose slots are another shard's are counted by their databases",
    ["SET a 1", "INCR a", "SELECT 1", "SET a 1"],
    2,
    "a",
  ],
  ["until they are deleted", ["SET a 1", "SET d 1", "UNLINK d"], 1, "a"],
  ["the example is one that is there", ["SET a 1", "SET d 1", "DEL a"], 1, "d"],
  ["and says its database", ["SET a 1", "SELECT 3", "SET d 1", "SELECT 0", "DEL a"], 1, "d", 3],
  ["a renamed one is one", ["SET a 1", "RENAME a {a}2"], 1, "{a}2"],
  ["a moved one is one", ["SET a 1", "MOVE a 3"], 1, "a", 3],
  ["a copy in another database is one more", ["SELECT 2", "COPY b a DB 4"], 1, "a", 4],
  ["all of thousands are counted", [...many("SET", " 1"), ...many("APPEND", " 1")], 3_000, "{a}0"],
  ["a long name is shown by its beginning", [`SET ${LONG_NAME} 1`, `APPEND ${LONG_NAME} 1`], 1, `${"a".repeat(60)}…`],
] as const)
  test(rule, () => {
    assert.deepEqual(misplacedAfter(commands), { keys, example: { database, name } });
  });

for (const [rule, commands] of [
  ["a key of the shard is not misplaced", ["SET b 1", "PING"]],
  [
    "nothing is misplaced once all is deleted",
    ["SET a 1", "SELECT 1", "SET a 1", "DEL a", "SELECT 0", "UNLINK a {a}2"],
  ],
  ["a key that is renamed to one of the shard is not misplaced any more", ["SET a 1", "RENAME a b"]],
  ["all of thousands can be deleted", [...many("SET", " 1"), ...many("DEL")]],
  ["a key with a long name can be deleted", [`SET ${LONG_NAME} 1`, `DEL ${LONG_NAME}`]],
] as const)
  test(rule, () => {
    assert.equal(misplacedAfter(commands), undefined);
  });
