import { readFileSync } from "node:fs";
import { OPERATOR_NAME } from "../../../src/core/api/names.ts";
import type { Lane } from "./lane.ts";

/** The webhook as §4.1 creates it, and a certificate in it that is not the secret's. */
export async function installWebhook(lane: Lane, certificate: string): Promise<void> {
  const template = readFileSync("deploy/admission/webhook-template.yaml", "utf8");
  const text = template.replaceAll("OPERATOR_NAMESPACE", lane.namespace);
  const bundle = Buffer.from(certificate).toString("base64");
  await lane.sh(`kubectl create -f - <<'EOF'\n${text}\nEOF`);
  const webhook = `{"name":"storeenterprise.admission.storeenterprise","clientConfig":{"caBundle":"${bundle}"}}`;
  await lane.sh(
    `kubectl patch ValidatingWebhookConfiguration store-enterprise-admission -p '{"webhooks":[${webhook}]}'`,
  );
}

/** Where the operator may look at webhooks and not touch them, it says what is wrong and waits for a user who may. */
export async function letLookAtWebhooks({ sh, namespace }: Lane): Promise<void> {
  const resource = "validatingwebhookconfigurations.admissionregistration.k8s.io";
  await sh(`kubectl create clusterrole ${namespace}-webhooks --verb=list --resource=${resource}`);
  await sh(
    `kubectl create clusterrolebinding ${namespace}-webhooks --clusterrole=${namespace}-webhooks ` +
      `--serviceaccount=${namespace}:${OPERATOR_NAME}`,
  );
}
