import assert from "node:assert/strict";
import { test } from "node:test";
import { engineNames, startEngine } from "../../../test/kit/engines/engine.ts";
import { slotOf } from "./slot.ts";

const KEYS = [
  ...[
    "",
    "a",
    "123456789",
    "foo",
    "{user1000}.following",
    "foo{}{bar}",
    "foo{{bar}}zap",
    "foo{bar}{zap}",
    "{",
    "}",
    "{}",
    "}{",
    "a{b",
  ],
  ...["{a}", "x{a}y", "}x{a}", "ключ", "{ключ}:1", "\0", "{\0}", "a".repeat(1000)],
];

for (const engine of engineNames())
  test(`keys have the slots that ${engine} gives them`, async () => {
    await using cluster = await startEngine({ engine, args: ["--cluster-enabled", "yes"] });
    const slots = await Promise.all(KEYS.map((key) => cluster.call("CLUSTER", "KEYSLOT", key)));
    assert.deepEqual(
      KEYS.map((key) => slotOf(Buffer.from(key))),
      slots,
    );
  });

test("a key may lie within other bytes", () => {
  const bytes = Buffer.from("SET{x}foo}1");
  assert.equal(slotOf(bytes, 6, 9), slotOf(Buffer.from("foo")));
});
