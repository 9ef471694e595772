import { after, before } from "node:test";
import { embeddedJudge } from "../api-servers/judge.ts";
import { bundleSuite } from "./suite.ts";

let judge: Awaited<ReturnType<typeof embeddedJudge>>;
before(async () => {
  judge = await embeddedJudge();
});
after(() => judge[Symbol.asyncDispose]());

bundleSuite(() => judge);
