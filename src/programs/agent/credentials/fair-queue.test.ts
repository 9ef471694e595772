import assert from "node:assert/strict";
import { test } from "node:test";
import { fairQueue } from "./fair-queue.ts";

const LIMITS = { ofSubject: 3, subjects: 2, owners: 2 };

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
  const all = ["a1", "a2", "a3", "b1"].map(async (name) => queue.add(name.slice(0, 1), "x", piece(name)));
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "b1"]);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3"]);
});

test("the subjects of an owner take turns", async () => {
  const queue = fairQueue(LIMITS);
  const order: string[] = [];
  const piece = (name: string) => async () => void order.push(name);
  await Promise.all(["x1", "x2", "x3", "y1"].map(async (name) => queue.add("a", name.slice(0, 1), piece(name))));
  assert.deepEqual(order, ["x1", "x2", "y1", "x3"]);
});

test("what is too much for one owner, or too many owners, is not taken, and is taken later", async () => {
  const queue = fairQueue(LIMITS);
  const gate = Promise.withResolvers<void>();
  const held = () => gate.promise;
  const first = queue.add("a", "x", held); // runs at once and no longer waits
  const waiting = ["a", "a", "a"].map((owner) => queue.add(owner, "x", held));
  assert.equal(queue.add("a", "x", held), undefined);
  const further = queue.add("a", "y", held);
  assert.ok(further !== undefined, "another subject has places of its own");
  assert.equal(queue.add("a", "z", held), undefined);
  const other = queue.add("b", "x", held);
  assert.ok(other !== undefined, "another owner has places of its own");
  assert.equal(queue.add("c", "x", held), undefined);
  gate.resolve();
  await Promise.all([first, ...waiting, further, other]);
  assert.equal(await queue.add("c", "x", () => Promise.resolve("taken")), "taken");
});

test("a piece that fails ends with its error, and the next one runs", async () => {
  const queue = fairQueue(LIMITS);
  const failing = queue.add("a", "x", () => Promise.reject(new Error("no")));
  const next = queue.add("a", "x", () => Promise.resolve("done"));
  await assert.rejects(Promise.resolve(failing), /no/);
  assert.equal(await next, "done");
});
