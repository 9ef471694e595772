import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import { createAddressPool } from "./addresses.ts";

test("a pod keeps its address, and no two pods share one", () => {
  const pool = createAddressPool("127.42.");
  const first = pool.addressOf("a");
  assert.equal(first, "127.42.1.1");
  assert.notEqual(pool.addressOf("b"), first);
  assert.equal(pool.addressOf("a"), first);
});

test("an address that a pod had before is kept for it, a foreign one is not", () => {
  const pool = createAddressPool("127.42.");
  pool.claim("old", "127.42.1.1");
  pool.claim("thief", "127.42.1.1");
  pool.claim("moved", "127.7.1.5");
  assert.equal(pool.addressOf("old"), "127.42.1.1");
  assert.equal(pool.addressOf("thief"), "127.42.1.2");
  assert.equal(pool.addressOf("moved"), "127.42.1.3");
});

test("a freed address rests until the others have had their turn, and a full pool says so", () => {
  const pool = createAddressPool("127.42.");
  const freed = pool.addressOf("a");
  pool.release("a");
  assert.notEqual(pool.addressOf("b"), freed);
  for (let n = 0; n < 99 * 254 - 1; n++) pool.addressOf(`pod ${n}`);
  assert.throws(() => pool.addressOf("one too many"), Fault);
  pool.release("b");
  assert.match(pool.addressOf("next"), /^127\.42\./);
});
