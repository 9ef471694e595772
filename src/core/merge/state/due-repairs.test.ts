import assert from "node:assert/strict";
import { test } from "node:test";
import { DueRepairs } from "./due-repairs.ts";
import { WaitingKey } from "./waiting-key.ts";

const member = { type: "set", element: "m" } as const;
const part = { elements: [member], hasExpiry: false };

function raced(): WaitingKey {
  const key = new WaitingKey();
  key.begin(part, true);
  key.race({ kind: "put", key: "k", value: "", ...member });
  return key;
}

/** Without what else a waiting element carries. */
const named = (due: DueRepairs): unknown =>
  due.all?.map((each) => ({
    ...each,
    part: each.part === "all" ? "all" : each.part.elements.map(({ type, element }) => `${type} ${element}`),
  }));

test("what a client and a transaction write is due until it is written again, and until that is done", () => {
  const due = new DueRepairs();
  assert.deepEqual(due.all, []);
  const key = raced();
  due.look("k", key);
  assert.deepEqual(named(due), [{ key: "k", part: ["set m"] }]);
  key.end(part, true);
  due.look("k", key);
  due.begin("repair", { key: "k", part });
  assert.deepEqual(named(due), [{ key: "k", part: ["set m"] }]);
  due.end("repair");
  assert.deepEqual(due.all, []);
});

test("what the process before has left is due until it is taken", () => {
  const due = new DueRepairs();
  const left = [{ key: "k", part: "all" }] as const;
  due.inherit(left);
  assert.deepEqual(due.all, left);
  assert.deepEqual(due.takeInherited(), left);
  assert.deepEqual(due.all, []);
});

test("what is due is not known while the process before did not leave it", () => {
  const due = new DueRepairs();
  due.inherit(undefined);
  due.begin("repair", { key: "k", part });
  assert.equal(due.all, undefined);
  assert.equal(due.takeInherited(), undefined);
  assert.deepEqual(due.all, [{ key: "k", part }]);
});

test("more than 256 keys are not named, and are again when there are fewer", () => {
  const due = new DueRepairs();
  for (let count = 0; count < 256; count += 1) due.begin(`repair:${count}`, { key: `k${count}`, part });
  const named = (): number | undefined => due.all?.length;
  assert.equal(named(), 256);
  due.look("one more", raced());
  assert.equal(named(), undefined);
  due.end("repair:0");
  assert.equal(named(), 256);
});

test("what a client did is hidden while it is written again, and not while what may hide it has not come back", () => {
  const due = new DueRepairs();
  const key = raced();
  due.look("k", key);
  assert.equal(due.isHidden("k"), false);
  key.end(part, true);
  due.look("k", key);
  due.begin("repair", { key: "k", part });
  assert.equal(due.isHidden("k"), true);
  due.end("repair");
  assert.equal(due.isHidden("k"), false);
});
