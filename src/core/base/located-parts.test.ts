import assert from "node:assert/strict";
import { test } from "node:test";
import { locateParts } from "./located-parts.ts";
import { syntaxOf } from "./syntax.ts";

const cases: readonly { readonly request: string; readonly parts?: Readonly<Record<string, number>> }[] = [
  {
    request: "XREADGROUP GROUP block 7 BLOCK 0 STREAMS s >",
    parts: { group: 1, consumer: 2, milliseconds: 4, key: 6, id: 7 },
  },
  {
    request: "XREADGROUP BLOCK 5 NOACK GROUP g c STREAMS s t > >",
    parts: { milliseconds: 1, group: 4, key: 7, id: 9 },
  },
  {
    request: "XREADGROUP GROUP group group BLOCK 5 STREAMS streams streams > >",
    parts: { GROUP: 0, group: 1, consumer: 2, BLOCK: 3, milliseconds: 4, STREAMS: 5, key: 6, id: 8 },
  },
  { request: "XREADGROUP GROUP g c STREAMS block 5", parts: { key: 4, id: 5 } },
  { request: "XREAD STREAMS block block $ $", parts: { key: 1, id: 3 } },
  { request: "XREAD BLOCK 5 COUNT 1 BLOCK 9 STREAMS s $", parts: { milliseconds: 5 } },
  { request: "XREAD BLOCK 5 STREAMS s t $" },
  { request: "XREAD BLOCK STREAMS s $" },
  { request: "BLPOP timeout 5 1", parts: { key: 0, timeout: 2 } },
  { request: "BLPOP 5" },
  { request: "BLMPOP 3 2 left right LEFT COUNT 5", parts: { timeout: 0, key: 2, LEFT: 4, count: 6 } },
  { request: "BLMPOP 3 9 left LEFT" },
  { request: "BLMOVE left right RIGHT LEFT 4", parts: { source: 0, destination: 1, timeout: 4 } },
  { request: "HELLO", parts: {} },
  { request: "HELLO 3 SETNAME auth", parts: { protover: 0, clientname: 2 } },
  { request: "HELLO 3 SETNAME auth AUTH u p", parts: { clientname: 2, username: 4, password: 5 } },
  { request: "HELLO 3 AUTH u" },
  { request: "AUTH p", parts: { password: 0 } },
  { request: "AUTH u p", parts: { username: 0, password: 1 } },
  { request: "COPY a db DB 2 REPLACE", parts: { "destination-db": 3 } },
  { request: "COPY a b REPLACE DB 2", parts: { "destination-db": 4 } },
  { request: "SORT k BY store GET store GET # STORE to", parts: { destination: 8 } },
  { request: "SORT k LIMIT 0 1", parts: { offset: 2, count: 3 } },
  { request: "SET k PXAT PXAT 9", parts: { value: 1, "unix-time-milliseconds": 3 } },
  { request: "SET k v IFEQ keepttl KEEPTTL", parts: { "comparison-value": 3, KEEPTTL: 4 } },
  { request: "SET k v IFEQ keepttl", parts: { "comparison-value": 3 } },
  { request: "SET k v PX" },
  { request: "ZADD k CH 1 nx 2 m", parts: { CH: 1, score: 2, member: 3 } },
  { request: "ZADD k 1 m 2" },
  { request: "CLIENT|TRACKING on PREFIX redirect PREFIX b BCAST", parts: { prefix: 4, BCAST: 5 } },
  { request: "CLIENT|TRACKING ON BCAST PREFIX prefix", parts: { BCAST: 1, prefix: 3 } },
  { request: "CLIENT|TRACKING ON NOLOOP REDIRECT 5", parts: { "client-id": 3 } },
  { request: "VADD k VALUES 2 0.1 cas cas CAS EF 5", parts: { element: 5, CAS: 6 } },
  { request: "VADD k FP32 x cas", parts: { element: 3 } },
  { request: "UNHEARD-OF 1" },
];

for (const { request, parts } of cases)
  test(`${request}: ${parts === undefined ? "no engine takes it" : JSON.stringify(parts)}`, () => {
    const [name = "", ...args] = request.split(" ");
    const found = locateParts(name, { length: args.length, wordAt: (at) => args[at]?.toUpperCase() ?? "" });
    if (parts === undefined) assert.equal(found, undefined);
    else
      assert.deepEqual({ ...Object.fromEntries(found ?? [["nothing", 0]]), ...parts }, Object.fromEntries(found ?? []));
  });

test("options that a request does not have are not found in it", () => {
  const absent = (name: string, words: readonly string[], part: string): boolean | undefined =>
    locateParts(name, { length: words.length, wordAt: (at) => words[at] ?? "" })?.has(part);
  assert.equal(absent("XREADGROUP", ["GROUP", "BLOCK", "7", "STREAMS", "s", ">"], "BLOCK"), false);
  assert.equal(absent("HELLO", ["3", "SETNAME", "AUTH"], "username"), false);
  assert.equal(absent("VADD", ["k", "FP32", "x", "CAS"], "CAS"), false);
  assert.equal(absent("CLIENT|TRACKING", ["ON", "PREFIX", "REDIRECT", "BCAST"], "REDIRECT"), false);
});

test("what is no syntax is refused", () => {
  for (const text of ["[COUNT count", "a)", "a|b", "a = b"]) assert.throws(() => syntaxOf(text), /no syntax/, text);
});
