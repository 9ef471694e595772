import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readFileSync } from "node:fs";
import { webhookTemplate } from "../kit/operator/admission-world.ts";
import { bindKubectl, type Kubectl } from "../kubectl/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane, type ControlPlane } from "../kubernetes/control-plane/control-plane.ts";

// Nobody answers the webhook here: what gets through does so by the conditions of the configuration itself.
describe("the webhook on a real API server", { skip: skipWithout("api") }, () => {
  const operator = "--as system:serviceaccount:default:store-enterprise-operator";
  let plane: ControlPlane;
  let kubectl: Kubectl;

  before(async () => {
    plane = await startControlPlane();
    kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
    await kubectl("apply -f deploy/bundle.yaml");
    await kubectl("wait --for=condition=Established crd --all --timeout=20s");
  });
  after(() => plane.stop());

  test("the files are accepted as they are", async () => {
    await kubectl("apply -f deploy/admission/webhook.yaml");
    const role = readFileSync("deploy/admission/cluster-role.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", "default");
    await kubectl.given(role, "apply -f -");
    await kubectl(
      "create clusterrolebinding operator --clusterrole=cluster-admin --serviceaccount=default:store-enterprise-operator",
    );
    const created = await kubectl.given(webhookTemplate(), "create -f -");
    assert.match(created, /store-enterprise-admission created/);
    assert.match(
      await kubectl("get ValidatingWebhookConfiguration store-enterprise-admission -o yaml"),
      /not-the-operator/,
    );
  });

  test("users are refused, the operator is not", async () => {
    assert.match(await untilRefused(), /failed calling webhook "storeenterprise\.admission\.storeenterprise"/);
    await kubectl.given(DATABASE, `create ${operator} -f -`);
    await kubectl(`patch redb orders ${operator} --type merge -p`, '{"metadata":{"finalizers":["example.com/wait"]}}');
  });

  test("an object that is on its way out can be let go", async () => {
    await kubectl("delete redb orders --wait=false");
    await kubectl("patch redb orders --type merge -p", '{"metadata":{"finalizers":null}}');
    await kubectl("wait --for=delete redb/orders --timeout=10s");
  });

  test("other namespaces are not concerned", async () => {
    await kubectl("create namespace other");
    await kubectl.given(DATABASE, "create -n other -f -");
  });

  /** A real server takes a moment to know a new configuration. */
  async function untilRefused(): Promise<string> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const { code, stderr } = await kubectl.run("create --dry-run=server -f -", [], { stdin: DATABASE });
      if (code !== 0) return stderr;
    }
    return "never refused";
  }
});

const DATABASE =
  "{ apiVersion: app.storeenterprise.io/v1, kind: StoreEnterpriseDatabase, metadata: { name: orders }, spec: {} }\n";
