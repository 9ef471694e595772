import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#kit/testing/fake-clock";
import { Question } from "./question.ts";

/** A question whose answers the test gives, one after the other; undefined is silence. */
function asked() {
  const clock = new FakeClock();
  const waiting: PromiseWithResolvers<string | undefined>[] = [];
  const ask = (): Promise<string | undefined> => {
    const answer = Promise.withResolvers<string | undefined>();
    waiting.push(answer);
    return answer.promise;
  };
  return { clock, waiting, question: new Question(ask, (answer) => answer === undefined, clock) };
}

test("what answers is asked anew each time, and waited for", async () => {
  const { waiting, question } = asked();
  const answers = [question.ask(), question.ask()];
  assert.equal(waiting.length, 2);
  waiting[0]?.resolve("one");
  waiting[1]?.resolve("two");
  assert.deepEqual(await Promise.all(answers), ["one", "two"]);
});

test("what was silent is asked once for all, and counts as silent after 100 ms", async () => {
  const { clock, waiting, question } = asked();
  const first = question.ask();
  waiting[0]?.resolve(undefined);
  assert.equal(await first, undefined);
  const answers = [question.ask(), question.ask()];
  assert.equal(waiting.length, 2);
  await clock.advance(100);
  assert.deepEqual(await Promise.all(answers), [undefined, undefined]);
  const later = question.ask();
  assert.equal(waiting.length, 2, "the question goes on");
  waiting[1]?.resolve("here again");
  assert.equal(await later, "here again");
});

test("what answers again is waited for again", async () => {
  const { clock, waiting, question } = asked();
  const first = question.ask();
  waiting[0]?.resolve(undefined);
  await first;
  const second = question.ask();
  waiting[1]?.resolve("here again");
  await second;
  const third = question.ask();
  await clock.advance(1_000);
  waiting[2]?.resolve("late");
  assert.equal(await third, "late");
});
