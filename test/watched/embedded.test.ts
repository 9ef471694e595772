import { after, before } from "node:test";
import { embeddedJudge } from "../api-servers/judge.ts";
import { rule } from "../specification/rule.ts";
import { watchedSuite } from "./suite.ts";

let judge: Awaited<ReturnType<typeof embeddedJudge>>;
before(async () => {
  judge = await embeddedJudge();
});
after(() => judge[Symbol.asyncDispose]());

watchedSuite(
  () => judge,
  (when, body) => {
    rule("§4.3.7 roles are reapplied in each watched namespace", when, body);
  },
);
