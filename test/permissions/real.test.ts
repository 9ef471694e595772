import { after, before, describe } from "node:test";
import { realJudge } from "../api-servers/judge.ts";
import { defineKinds } from "../kit/kubernetes/permission-scene.ts";
import { skipWithout } from "../kubernetes/assets/assets.ts";
import { permissionSuite } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let judge: Awaited<ReturnType<typeof realJudge>>;
  before(async () => {
    // as on OpenShift: whoever makes an owned object needs a right over its owner
    judge = await realJudge("--enable-admission-plugins=OwnerReferencesPermissionEnforcement");
    await defineKinds(judge);
  });
  after(() => judge[Symbol.asyncDispose]());

  permissionSuite(() => judge);
});
