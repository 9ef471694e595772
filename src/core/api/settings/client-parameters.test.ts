import assert from "node:assert/strict";
import { test } from "node:test";
import {
  definedOtherwise,
  effectiveSettings,
  parseParameters,
  shownValue,
  valueIn,
  withClientParameters,
} from "./client-parameters.ts";
import type { ClientParameters, ParsedParameters } from "./client-parameters.ts";

const asked = (values: Readonly<Record<string, string>>): ParsedParameters => ({
  kind: "asked",
  asked: new Map(Object.entries(values)),
});
const failed = (name: string, why: string): ParsedParameters => ({
  kind: "error",
  error: `ERR CONFIG SET failed (possibly related to argument '${name}') - ${why}`,
});
const NO_INTEGER = "argument couldn't be parsed into an integer";

for (const [rule, args, parsed] of [
  ["a name is taken in any case", ["Slowlog-Max-LEN", "5"], asked({ "slowlog-max-len": "5" })],
  ["a former name is that of today", ["hash-max-ziplist-value", "9"], asked({ "hash-max-listpack-value": "9" })],
  [
    "several are set at once",
    ["lfu-decay-time", "0", "slowlog-max-len", "5"],
    asked({ "lfu-decay-time": "0", "slowlog-max-len": "5" }),
  ],
  ["a size may have a unit", ["stream-node-max-bytes", "8KB"], asked({ "stream-node-max-bytes": "8192" })],
  [
    "classes of events get the order of engines",
    ["notify-keyspace-events", "ExKg"],
    asked({ "notify-keyspace-events": "gxKE" }),
  ],
  [
    "all classes of events are A",
    ["notify-keyspace-events", "Kg$lshzxetdnE"],
    asked({ "notify-keyspace-events": "AKE" }),
  ],
  ["no events", ["notify-keyspace-events", ""], asked({ "notify-keyspace-events": "" })],
  [
    "an unknown class of events",
    ["notify-keyspace-events", "Kq"],
    failed("notify-keyspace-events", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."),
  ],
  ["no number", ["SLOWLOG-max-len", "1kb"], failed("slowlog-max-len", NO_INTEGER)],
  ["a number with a zero in front", ["slowlog-max-len", "07"], failed("slowlog-max-len", NO_INTEGER)],
  [
    "a number outside",
    ["slowlog-log-slower-than", "-2"],
    failed("slowlog-log-slower-than", "argument must be between -1 and 9223372036854775807 inclusive"),
  ],
  ["no size", ["hll-sparse-max-bytes", "1.5kb"], failed("hll-sparse-max-bytes", "argument must be a memory value")],
  [
    "a size outside",
    ["hll-sparse-max-bytes", "9223372036854775808"],
    failed("hll-sparse-max-bytes", "argument must be between 0 and 9223372036854775807 inclusive"),
  ],
  [
    "the largest number of an engine",
    ["stream-node-max-entries", "9223372036854775807"],
    asked({ "stream-node-max-entries": "9223372036854775807" }),
  ],
  [
    "one more than the largest of 32 bits",
    ["lfu-log-factor", "2147483648"],
    failed("lfu-log-factor", "argument must be between 0 and 2147483647 inclusive"),
  ],
  [
    "one name twice",
    ["slowlog-max-len", "5", "SLOWLOG-max-len", "6"],
    failed("SLOWLOG-max-len", "duplicate parameter"),
  ],
  [
    "a name that no database may set comes before wrong values",
    ["slowlog-max-len", "x", "MaxMemory", "1"],
    { kind: "other", name: "MaxMemory" },
  ],
  ["a name of JavaScript", ["constructor", "1"], { kind: "other", name: "constructor" }],
  ["no value", ["slowlog-max-len"], { kind: "error", error: "ERR wrong number of arguments for 'config|set' command" }],
  ["a name without value", ["slowlog-max-len", "1", "x"], { kind: "error", error: "ERR syntax error" }],
] as const)
  test(`CONFIG SET: ${rule}`, () => {
    assert.deepEqual(parseParameters(args), parsed);
  });

test("what clients have set counts, except where the definition says otherwise", () => {
  const record = {
    engineParameters: "slowlog-max-len=9",
    clientParameters: { revision: 1, values: "notify-keyspace-events=xE slowlog-max-len=5" },
  };
  const effective = effectiveSettings(record).engineParameters;
  assert.equal(effective, "notify-keyspace-events=xE slowlog-max-len=9");
  assert.deepEqual(
    ["notify-keyspace-events", "slowlog-max-len", "lfu-decay-time"].map((name) => valueIn(effective, name)),
    ["xE", "9", "1"],
  );
});

test("the definition counts by what it means, not by how it is written", () => {
  const keys = new Map([["notify-keyspace-events", "AKE"]]);
  assert.equal(definedOtherwise(keys, "notify-keyspace-events=KEA"), undefined);
  assert.equal(definedOtherwise(keys, "slowlog-max-len=9"), undefined);
  assert.equal(definedOtherwise(keys, "notify-keyspace-events=KE"), "notify-keyspace-events");
  assert.equal(shownValue("notify-keyspace-events", "KEA"), "AKE");
  assert.equal(shownValue("maxmemory", "1"), "1");
});

test("a record changes only with what it keeps, and forgets what has its default again", () => {
  const set = (kept: ClientParameters | undefined, values: Readonly<Record<string, string>>) => {
    const record = { engineParameters: "slowlog-max-len=9", ...(kept === undefined ? {} : { clientParameters: kept }) };
    const after = withClientParameters(record, new Map(Object.entries(values)));
    return after === record ? "the same" : after.clientParameters;
  };
  const first: ClientParameters = { revision: 1, values: "lfu-decay-time=2 notify-keyspace-events=xE" };
  const second: ClientParameters = { revision: 2, values: "lfu-decay-time=2" };
  assert.deepEqual(set(undefined, { "notify-keyspace-events": "xE", "lfu-decay-time": "2" }), first);
  assert.equal(set(first, { "lfu-decay-time": "2" }), "the same");
  assert.equal(set(first, { "slowlog-max-len": "9" }), "the same", "the definition has it");
  assert.equal(set(undefined, { "lfu-decay-time": "1" }), "the same");
  assert.deepEqual(set(first, { "notify-keyspace-events": "" }), second);
  assert.deepEqual(set(second, { "lfu-decay-time": "1" }), { revision: 3, values: "" });
});
