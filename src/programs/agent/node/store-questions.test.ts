import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreQuestions } from "./store-questions.ts";

test("few questions are asked at once, some wait, and a further one is refused with what to do", async () => {
  const questions = new StoreQuestions();
  const answers = Array.from({ length: 27 }, () => Promise.withResolvers<number>());
  const asked: number[] = [];
  const waiting = answers.map(({ promise }, at) =>
    questions.ask(() => {
      asked.push(at);
      return promise;
    }),
  );
  await assert.rejects(
    questions.ask(() => Promise.resolve(0)),
    { code: "AGENT_BACKUP_QUESTIONS", retry: "backoff" },
  );
  assert.deepEqual(asked, [0, 1, 2]);
  for (const [at, { resolve, reject }] of answers.entries()) at === 1 ? reject(new Error("no answer")) : resolve(at);
  const ended = await Promise.allSettled(waiting);
  assert.deepEqual([asked.length, ended.filter(({ status }) => status === "rejected").length], [27, 1]);
  assert.equal(await questions.ask(() => Promise.resolve(7)), 7);
});
