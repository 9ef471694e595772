import assert from "node:assert/strict";
import { test } from "node:test";
import { slotTable } from "../../../core/slots/slot-table.ts";
import { encodeCommand } from "../../../ports/resp/encode.ts";
import { targetAtShards } from "./large-request.ts";

const MIB = 2 ** 20;
/** The keys {3}, {2} and {4} are of the shards at these places. */
const TABLE = slotTable([[{ from: 0, to: 5460 }], [{ from: 5461, to: 10_921 }], [{ from: 10_922, to: 16_383 }]]);
/** The place of the shard that serves what needs no key. */
const ANY = 1;
const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";
const [SMALL, LARGE] = ["v".repeat(2 * MIB), "v".repeat(33 * MIB)];

/** What a beginning of a request leads to: the place of a shard, what is refused, or that more of it is collected. */
const RULES = [
  ["a request with one key goes to the shard of its slot", ["SET", "{3}", SMALL], 0],
  ["and so does one with several keys of one slot", ["MSETNX", "{4}", SMALL, "{4}b", "x"], 2],
  ["keys of several slots get CROSSSLOT", ["MSETNX", "{4}", SMALL, "{3}", "x"], CROSSSLOT],
  ["a command goes to the shard of its channel", ["PUBLISH", "{2}", SMALL], 1],
  ["what needs no key goes to any shard", ["ECHO", SMALL], ANY],
  ["a request that no engine finds keys in goes to any shard", ["ZUNION", "x", "{3}", SMALL], ANY],
  ["what is split is collected", ["MSET", "{3}", SMALL, "{4}", "x"], "collected"],
  ["above the limit it is not split, and goes to the shard of its slot", ["MSET", "{3}", LARGE, "{3}b", "x"], 0],
  ["or gets CROSSSLOT", ["MSET", "{3}", LARGE, "{4}", "x"], CROSSSLOT],
  ["keys behind options are looked for when all is there", ["GEORADIUSBYMEMBER", "{3}", SMALL, "1", "m"], "collected"],
  [
    "above the limit they are not",
    ["GEORADIUSBYMEMBER", "{3}", LARGE, "1", "m"],
    "GEORADIUSBYMEMBER of more than 32 MiB",
  ],
  ["what each shard gets is collected", ["KEYS", SMALL], "collected"],
  ["above the limit it is refused", ["KEYS", LARGE], "KEYS of more than 32 MiB"],
  ["a key above the limit is refused", ["SET", LARGE, "x"], "a key of more than 32 MiB"],
] as const;

for (const [rule, request, wanted] of RULES)
  test(`${rule}: ${request[0]}`, () => {
    const bytes = encodeCommand(request);
    // a key that is too large has not arrived
    const head = request[1] === LARGE ? bytes.subarray(0, -MIB / 2) : bytes;
    const found = targetAtShards({ name: request[0], head, table: TABLE ?? assert.fail(), any: ANY });
    const objection = found?.request.objection?.toString();
    if (typeof wanted === "number") assert.deepEqual([found?.shard, objection], [wanted, undefined]);
    else if (wanted === "collected") assert.equal(found, undefined);
    else assert.ok(objection?.includes(wanted), objection);
  });
