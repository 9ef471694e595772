import { after, before, describe } from "node:test";
import { realJudge } from "../api-servers/judge.ts";
import { skipWithout } from "../kubernetes/assets/assets.ts";
import { rule } from "../specification/rule.ts";
import { watchedSuite } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let judge: Awaited<ReturnType<typeof realJudge>>;
  before(async () => {
    judge = await realJudge();
  });
  after(() => judge[Symbol.asyncDispose]());

  watchedSuite(
    () => judge,
    (when, body) => {
      rule("§4.3.7 roles are reapplied in each watched namespace", when, body);
    },
  );
});
