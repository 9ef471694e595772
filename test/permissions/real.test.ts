import { after, before, describe } from "node:test";
import { loadKubeConfig } from "../../src/kube/config.ts";
import { defineKinds } from "../kit/permission-scene.ts";
import { bindKubectl } from "../kubectl/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane.ts";
import { permissionSuite, type Judge } from "./suite.ts";

describe("on a real API server", { skip: skipWithout("api") }, () => {
  let plane: ControlPlane;
  let judge: Judge;

  before(async () => {
    // as on OpenShift: whoever makes an owned object needs a right over its owner
    const plugins = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";
    plane = await startControlPlane({ apiServerArguments: [plugins] });
    const config = loadKubeConfig({ KUBECONFIG: plane.kubeconfig });
    const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
    judge = { kube: plane.kube, config, kubectl };
    await defineKinds(judge);
  });
  after(() => plane.stop());

  permissionSuite(() => judge);
});
