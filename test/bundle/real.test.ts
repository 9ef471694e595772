import { after, before, describe } from "node:test";
import { realJudge } from "../api-servers/judge.ts";
import { skipWithout } from "../kubernetes/assets/assets.ts";
import { bundleSuite } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let judge: Awaited<ReturnType<typeof realJudge>>;
  before(async () => {
    judge = await realJudge();
  });
  after(() => judge[Symbol.asyncDispose]());

  bundleSuite(() => judge);
});
