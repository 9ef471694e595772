import { test } from "node:test";
import { foundKubectls } from "../api-servers/kubectls.ts";
import { openDesk, untypable } from "../kit/pages/desk.ts";
import { typistOf, type Typist } from "../kit/pages/typist.ts";
import { steps } from "../kit/scenario/step.ts";
import type { Shell } from "../kit/world/shell.ts";

/** Where the pages are typed. */
interface Scene extends Pick<Typist, "type"> {
  readonly shell: Shell;
}

const KUBERNETES = "docs/kubernetes.md";
const OPERATIONS = "docs/operations.md";
const TLS = "docs/tls.md";

test(
  "the pages about installing, TLS, admission and rotation, typed block by block as they stand there",
  { skip: untypable(foundKubectls()) },
  async () => {
    await using desk = await openDesk();
    const typist = typistOf("test/scenario/pages-rotation.test.ts", desk.shell);
    await steps<Scene>(
      { shell: desk.shell, type: typist.type },
      {
        "the newest release is installed": install,
        "clients speak TLS": useTls,
        "admission is installed": admit,
        "passwords and authority change": rotate,
        "a further namespace, and all of it is removed": remove,
      },
    );
    typist.assertComplete();
  },
);

const RUNNING = "kubectl wait rec/rec --for=jsonpath='{.status.state}'=Running --timeout=180s";
const READY = "kubectl wait redb/orders --for=condition=Ready --timeout=120s";

async function install({ shell, type }: Scene): Promise<void> {
  await shell('storectl local up && export KUBECONFIG="$PWD/.local/kubeconfig"');
  await type(KUBERNETES, "kubectl apply -f deploy/bundle.yaml");
}

async function useTls({ shell, type }: Scene): Promise<void> {
  await type(TLS, 'kubectl patch redb orders --type merge -p \'{"spec":{"tls":"enabled"');
  await shell(READY);
  await type(TLS, "kubectl get secret redb-orders");
  await type(TLS, "redis-cli --tls --cacert ca.crt --sni");
  await shell(
    "openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=orders.default.svc -keyout tls.key -out tls.crt -addext subjectAltName=DNS:orders.default.svc 2> openssl.txt",
  );
  await shell("cp tls.crt ca.crt");
  await type(TLS, "kubectl create secret generic orders-tls");
  await type(TLS, "kubectl create secret generic orders-clients");
  await shell(READY);
}

async function admit({ shell, type }: Scene): Promise<void> {
  await type("docs/admission.md", "kubectl delete ValidatingWebhookConfiguration redb-admission");
  await type("docs/admission.md", "kubectl delete ValidatingWebhookConfiguration store-enterprise-admission");
  await type("docs/admission.md", "sed 's/OPERATOR_NAMESPACE/default/g' deploy/admission/cluster-role.yaml");
  await shell("kubectl wait rec/rec --for=condition=AdmissionReady --timeout=60s");
}

async function rotate({ shell, type }: Scene): Promise<void> {
  await type(OPERATIONS, "kubectl patch secret redb-orders");
  await type(OPERATIONS, "kubectl annotate rec rec storeenterprise.io/rotate-authority");
  await type(OPERATIONS, "kubectl annotate rec rec storeenterprise.io/rotate-password");
  await type(OPERATIONS, "kubectl patch secret rec ");
  await shell(RUNNING);
}

async function remove({ type }: Scene): Promise<void> {
  await type(KUBERNETES, "kubectl patch rec rec");
  await type(KUBERNETES, "kubectl create namespace team-a");
  await type(KUBERNETES, "kubectl delete redb --all");
  await type(KUBERNETES, "kubectl delete pvc,configmap");
}
