import assert from "node:assert/strict";
import { test } from "node:test";
import { fairQueue } from "./fair-queue.ts";

const LIMITS = { perOwner: 3, owners: 2 };

test("one piece runs at a time, and owners take turns", async () => {
  const queue = fairQueue(LIMITS);
  const order: string[] = [];
  let running = 0;
  const piece = (name: string) => async (): Promise<string> => {
    running += 1;
    assert.equal(running, 1);
    await Promise.resolve();
    order.push(name);
    running -= 1;
    return name;
  };
  const all = ["a1", "a2", "a3", "b1"].map(async (name) => queue.add(name.slice(0, 1), piece(name)));
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "b1"]);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3"]);
});

test("what is too much for one owner, or too many owners, is not taken, and is taken later", async () => {
  const queue = fairQueue(LIMITS);
  const gate = Promise.withResolvers<void>();
  const held = () => gate.promise;
  const first = queue.add("a", held); // runs at once and no longer waits
  const waiting = ["a", "a", "a"].map((owner) => queue.add(owner, held));
  assert.equal(queue.add("a", held), undefined);
  const other = queue.add("b", held);
  assert.ok(other !== undefined, "another owner has places of its own");
  assert.equal(queue.add("c", held), undefined);
  gate.resolve();
  await Promise.all([first, ...waiting, other]);
  assert.equal(await queue.add("c", () => Promise.resolve("taken")), "taken");
});

test("a piece that fails ends with its error, and the next one runs", async () => {
  const queue = fairQueue(LIMITS);
  const failing = queue.add("a", () => Promise.reject(new Error("no")));
  const next = queue.add("a", () => Promise.resolve("done"));
  await assert.rejects(Promise.resolve(failing), /no/);
  assert.equal(await next, "done");
});
