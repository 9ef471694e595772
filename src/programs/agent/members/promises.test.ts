import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../../test/kit/time/until.ts";
import { Promises } from "./promises.ts";
import type { Voters } from "./voter-sets.ts";

test("the promise of one of two others is enough, from when it was asked for, however long the other one takes", async () => {
  const round = new Round([1, 2, 3]);
  assert.equal(round.promises.heldSince(), Number.NEGATIVE_INFINITY);
  round.now = 100;
  round.promises.ask();
  round.now = 900;
  round.answer(2, true);
  await until("it counts", () => round.promises.heldSince() === 100);
  round.promises.ask();
  assert.deepEqual(round.asked, [2, 3, 2], "a node whose answer is awaited is not asked again");
  round.answer(2, true);
  await until("the new one counts", () => round.promises.heldSince() === 900);
});

test("a node that promises no longer counts from its last promise on", async () => {
  const round = new Round([1, 2, 3]);
  round.now = 100;
  round.promises.ask();
  round.answer(2, true);
  round.answer(3, true);
  await until("both count", () => round.promises.heldSince() === 100);
  round.now = 600;
  round.promises.ask();
  round.answer(2, false);
  await until("it is asked again", () => (round.promises.ask(), round.asked.filter((node) => node === 2).length === 3));
  assert.equal(round.promises.heldSince(), 100);
});

test("without known voters every other node has to promise, and the oldest of their promises counts", async () => {
  const round = new Round(undefined);
  round.now = 100;
  round.promises.ask();
  round.answer(2, true);
  round.now = 300;
  await until("it is asked again", () => (round.promises.ask(), round.asked.length === 3));
  assert.equal(round.promises.heldSince(), Number.NEGATIVE_INFINITY);
  round.answer(2, true);
  round.answer(3, true);
  await until("all have promised", () => round.promises.heldSince() === 100);
});

test("a node that votes alone needs no promise", () => {
  const round = new Round([1], []);
  round.now = 700;
  assert.equal(round.promises.heldSince(), 700);
});

/** Requests of node 1 to others, answered by hand. */
class Round {
  now = 0;
  readonly asked: number[] = [];
  readonly promises: Promises;
  readonly #answers = new Map<number, (promised: boolean) => void>();

  constructor(voters: Voters, others: readonly number[] = [2, 3]) {
    this.promises = new Promises({
      self: 1,
      others: () => others,
      voterSets: () => [voters],
      ask: (node) => {
        this.asked.push(node);
        return new Promise((resolve) => this.#answers.set(node, resolve));
      },
      uptimeMs: () => this.now,
    });
  }

  answer(node: number, promised: boolean): void {
    this.#answers.get(node)?.(promised);
  }
}
