import { after, before } from "node:test";
import { embeddedJudge } from "../api-servers/judge.ts";
import { defineKinds } from "../kit/kubernetes/permission-scene.ts";
import { permissionSuite } from "./suite.ts";

let judge: Awaited<ReturnType<typeof embeddedJudge>>;
before(async () => {
  judge = await embeddedJudge();
  await defineKinds(judge);
});
after(() => judge[Symbol.asyncDispose]());

permissionSuite(() => judge);
