import { after, before, describe } from "node:test";
import { loadKubeConfig } from "../../src/kube/config.ts";
import { bindKubectl } from "../kubectl/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane.ts";
import type { Judge } from "../permissions/suite.ts";
import { rule } from "../specification/rule.ts";
import { watchedSuite } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let plane: ControlPlane;
  let judge: Judge;

  before(async () => {
    plane = await startControlPlane();
    const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
    judge = { kube: plane.kube, config: loadKubeConfig({ KUBECONFIG: plane.kubeconfig }), kubectl };
  });
  after(() => plane.stop());

  watchedSuite(
    () => judge,
    (when, body) => {
      rule("§4.3.7 roles are reapplied in each watched namespace", when, body);
    },
  );
});
