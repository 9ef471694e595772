import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { until } from "#kit/testing/until";
import { Promises, type GivenPromise } from "./promises.ts";
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

const LONG_AGO = Number.NEGATIVE_INFINITY;

test("a promise is unbroken while the node that gives it has consented to nothing since the tags were kept", async () => {
  const round = new Round([1, 2, 3]);
  round.tags.set(2, "a.0");
  round.promises.keepTags();
  await round.gets(2, "a.0", 100);
  assert.equal(round.promises.unbrokenSince(), 100);
  await round.gets(2, "a.1", 200);
  assert.equal(round.promises.unbrokenSince(), LONG_AGO, "it consented meanwhile");
  round.promises.keepTags();
  assert.equal(round.promises.unbrokenSince(), 200, "a grant was held after that");
});

test("a node that was never seen before, or does not say what it consented to, proves nothing", async () => {
  const round = new Round([1, 2, 3]);
  round.promises.keepTags();
  await round.gets(2, "a.0", 100);
  assert.equal(round.promises.unbrokenSince(), LONG_AGO);
  await round.gets(3, undefined, 200);
  round.promises.keepTags();
  await round.gets(3, undefined, 300);
  assert.equal(round.promises.unbrokenSince(), 100, "node 2 alone says it");
});

test("after another renewal nothing is unbroken: a leader may have gone by the voters of the one before", async () => {
  const round = new Round([1, 2, 3]);
  round.tags.set(2, "2.0");
  round.promises.keepTags();
  await round.gets(2, "2.0", 100);
  assert.equal(round.promises.unbrokenSince(), 100);
  round.renewedAt = 150;
  assert.equal(round.promises.unbrokenSince(), LONG_AGO);
  round.promises.keepTags();
  assert.equal(round.promises.unbrokenSince(), 100);
});

test("what a node reported counts as what it answers, and a majority of each set is needed", async () => {
  const round = new Round([1, 2, 3, 4, 5], [2, 3, 4, 5]);
  for (const node of [2, 3, 4]) round.tags.set(node, `${node}.0`);
  round.promises.keepTags();
  await round.gets(2, "2.0", 100);
  assert.equal(round.promises.unbrokenSince(), LONG_AGO);
  await round.gets(3, "3.1", 200);
  assert.equal(round.promises.unbrokenSince(), LONG_AGO, "node 3 has consented");
  assert.equal(round.promises.heldSince(), 100, "and yet it promises");
  await round.gets(4, "4.0", 300);
  assert.equal(round.promises.unbrokenSince(), 100);
});

test("without known voters nothing is unbroken: a leader asks for no consent then", async () => {
  const round = new Round(undefined);
  for (const node of [2, 3]) round.tags.set(node, `${node}.0`);
  round.promises.keepTags();
  for (const node of [2, 3]) await round.gets(node, `${node}.0`, 100);
  assert.equal(round.promises.heldSince(), 100);
  assert.equal(round.promises.unbrokenSince(), LONG_AGO);
});

/** Requests of node 1 to others, answered by hand. */
class Round {
  now = 0;
  renewedAt = 0;
  /** What the others have reported. */
  readonly tags = new Map<number, string>();
  readonly asked: number[] = [];
  readonly promises: Promises;
  readonly #answers = new Map<number, (given: GivenPromise | undefined) => void>();

  constructor(voters: Voters, others: readonly number[] = [2, 3]) {
    this.promises = new Promises({
      self: 1,
      others: () => others,
      renewedAt: () => this.renewedAt,
      tagOf: (node) => this.tags.get(node),
      voterSets: () => [voters],
      ask: (node) => {
        this.asked.push(node);
        return new Promise((resolve) => this.#answers.set(node, resolve));
      },
      uptimeMs: () => this.now,
    });
  }

  answer(node: number, promised: boolean): void {
    this.#answers.get(node)?.(promised ? { consentTag: undefined } : undefined);
  }

  /** A node is asked at a moment and promises with that tag; resolves when its answer counts. */
  async gets(node: number, consentTag: string | undefined, at: number): Promise<void> {
    this.now = at;
    this.promises.ask();
    this.#answers.get(node)?.({ consentTag });
    await turnOfLoop();
  }
}
