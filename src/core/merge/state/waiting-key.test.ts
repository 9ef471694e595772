import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyPart } from "../operations/key-part.ts";
import type { KeyEffect, KeyType } from "../operations/operation.ts";
import { WaitingKey } from "./waiting-key.ts";

const some = (type: KeyType, ...elements: readonly string[]): KeyPart => ({
  elements: elements.map((element) => ({ type, element })),
  hasExpiry: false,
});
const put = (type: KeyType, element: string): KeyEffect => ({ kind: "put", type, key: "k", element, value: "1" });

interface Case {
  readonly rule: string;
  /** What transactions that are under way write. */
  readonly parts: readonly KeyPart[];
  readonly client: KeyEffect | "flush";
  /** What is written again after each of them. */
  readonly want: readonly (KeyPart | undefined)[];
}

const cases: readonly Case[] = [
  {
    rule: "an element that a client and a transaction write is written again",
    parts: [some("hash", "f", "g")],
    client: put("hash", "f"),
    want: [some("hash", "f")],
  },
  {
    rule: "another element is left as the client has it",
    parts: [some("hash", "f")],
    client: put("hash", "g"),
    want: [undefined],
  },
  {
    rule: "an element waits for the transactions that write it, and for no other one",
    parts: [some("set", "m"), some("set", "m"), some("set", "n")],
    client: put("set", "m"),
    want: [undefined, some("set", "m"), undefined],
  },
  {
    rule: "all is written again when the client writes another type",
    parts: [some("set", "m")],
    client: put("hash", "f"),
    want: ["all"],
  },
  {
    rule: "all is written again when a transaction writes all",
    parts: ["all"],
    client: put("set", "m"),
    want: ["all"],
  },
  {
    rule: "all is written again when the client removes the key, once nothing is under way",
    parts: [some("set", "m"), some("set", "n")],
    client: { kind: "clear", key: "k" },
    want: [undefined, "all"],
  },
  {
    rule: "all is written again when the client removes every key",
    parts: [some("set", "m")],
    client: "flush",
    want: ["all"],
  },
  {
    rule: "a time of expiry is set again after any transaction, since each may set it",
    parts: [some("set", "m")],
    client: { kind: "expire", key: "k", at: 9_000 },
    want: [{ elements: [], hasExpiry: true }],
  },
  {
    rule: "a time of expiry is set again when the client brings the key back for which another site has set it",
    parts: [{ elements: [], hasExpiry: true }],
    client: put("set", "m"),
    want: [{ elements: [], hasExpiry: true }],
  },
];

for (const { rule, parts, client, want } of cases) {
  test(`what is under way: ${rule}`, () => {
    const waiting = new WaitingKey();
    for (const part of parts) waiting.begin(part, true);
    waiting.race(client);
    assert.deepEqual(
      parts.map((part) => waiting.end(part, true)),
      want,
    );
    assert.equal(waiting.isIdle, true);
  });
}

test("what a client did may be hidden from the first transaction that comes back after it until it is written again", () => {
  const waiting = new WaitingKey();
  const shown: boolean[] = [];
  const end = (): void => {
    waiting.end("all", true);
    shown.push(waiting.isHidden);
  };
  for (let count = 0; count < 4; count += 1) waiting.begin("all", true);
  end(); // the client came later
  waiting.race(put("set", "m"));
  shown.push(waiting.isHidden);
  end();
  end();
  end(); // now it is written again
  assert.deepEqual(shown, [false, false, true, true, false]);
});
