import assert from "node:assert/strict";
import { test } from "node:test";
import { fewWaiting } from "./few-waiting.ts";

test("of many questions one is asked at a time, so many wait, and the others are not asked", async () => {
  const begun: PromiseWithResolvers<string>[] = [];
  const ask = fewWaiting(3, (): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    begun.push(answer);
    return answer.promise;
  });
  const first = [ask(), ask(), ask()];
  const others = await Promise.all(Array.from({ length: 100 }, () => ask()));
  assert.deepEqual([others.filter((answer) => answer !== undefined), begun.length], [[], 1]);
  for (const [at, answer] of first.entries()) {
    begun[at]?.resolve(`answer ${at}`);
    assert.equal(await answer, `answer ${at}`);
  }
  const later = ask();
  await Promise.resolve();
  begun[3]?.reject(new Error("not now"));
  await assert.rejects(later, /not now/);
  const last = ask();
  await Promise.resolve();
  begun[4]?.resolve("answered");
  assert.equal(await last, "answered");
});
