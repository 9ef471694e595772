import { after, before, describe } from "node:test";
import { bindKubectl, type Kubectl } from "../kubectl/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane.ts";
import { bundleSuite } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let plane: ControlPlane;
  let kubectl: Kubectl;

  before(async () => {
    plane = await startControlPlane();
    kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
  });
  after(() => plane.stop());

  bundleSuite(() => kubectl);
});
