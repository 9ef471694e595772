import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { steps } from "../kit/scenario/step.ts";
import { webhookTemplate } from "./world.ts";
import { bindKubectl, type Kubectl } from "../kit/kubernetes/kubectl.ts";
import { skipWithout, VERSION } from "../kubernetes/assets/assets.ts";
import { startControlPlane } from "../kubernetes/control-plane/control-plane.ts";
import { established } from "../kit/kubernetes/established.ts";

const DATABASE =
  "{ apiVersion: app.storeenterprise.io/v1, kind: StoreEnterpriseDatabase, metadata: { name: orders }, spec: {} }\n";
const OPERATOR = "--as system:serviceaccount:default:store-enterprise-operator";

// No webhook answers here: what is admitted is admitted by the conditions of the configuration itself.
test("the webhook on a real API server", { skip: skipWithout("api") }, async () => {
  await using plane = await startControlPlane();
  const kubectl = bindKubectl({ path: plane.kubectl, version: VERSION }, plane.kubeconfig, plane.folder);
  await kubectl("apply -f deploy/bundle.yaml");
  await established(kubectl);
  await steps(kubectl, {
    "the files are accepted as they are": applyFiles,
    "users are refused, the operator is not": refuseUsers,
    "an object that is being deleted can lose its finalizers": removeFinalizers,
    "other namespaces are not concerned": leaveOthers,
  });
});

async function applyFiles(kubectl: Kubectl): Promise<void> {
  await kubectl("apply -f deploy/admission/webhook.yaml");
  const role = readFileSync("deploy/admission/cluster-role.yaml", "utf8").replaceAll("OPERATOR_NAMESPACE", "default");
  await kubectl.given(role, "apply -f -");
  await kubectl(
    "create clusterrolebinding operator --clusterrole=cluster-admin --serviceaccount=default:store-enterprise-operator",
  );
  const filledIn = await kubectl.given(webhookTemplate(), "apply -f -");
  assert.match(filledIn, /store-enterprise-admission configured/);
  assert.match(
    await kubectl("get ValidatingWebhookConfiguration store-enterprise-admission -o yaml"),
    /not-the-operator/,
  );
}

async function refuseUsers(kubectl: Kubectl): Promise<void> {
  assert.match(await untilRefused(kubectl), /failed calling webhook "storeenterprise\.admission\.storeenterprise"/);
  await kubectl.given(DATABASE, `create ${OPERATOR} -f -`);
  await kubectl(`patch redb orders ${OPERATOR} --type merge -p`, '{"metadata":{"finalizers":["example.com/wait"]}}');
}

async function removeFinalizers(kubectl: Kubectl): Promise<void> {
  await kubectl("delete redb orders --wait=false");
  await kubectl("patch redb orders --type merge -p", '{"metadata":{"finalizers":null}}');
  await kubectl("wait --for=delete redb/orders --timeout=10s");
}

async function leaveOthers(kubectl: Kubectl): Promise<void> {
  await kubectl("create namespace other");
  await kubectl.given(DATABASE, "create -n other -f -");
}

/** A real server takes a moment to know a new configuration. */
async function untilRefused(kubectl: Kubectl): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const { code, stderr } = await kubectl.run("create --dry-run=server -f -", [], { stdin: DATABASE });
    if (code !== 0) return stderr;
  }
  return "never refused";
}
