import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import {
  OLD_WEBHOOK_CONFIGURATION,
  operatorCall,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_NAME,
} from "../../../core/api/names.ts";
import { ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { Kube } from "#kit/kube/kube";
import type { WatchedNamespaces } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import type { WebhookAct } from "../../../core/planner/operator/webhook.ts";
import {
  definitionsWebhook,
  judgedKinds,
  namespacesNamed,
  webhookConfiguration,
} from "../../../core/releases/bundle/admission.ts";
import { encodeBase64 } from "../secrets/secret-text.ts";

export interface AdmissionDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator. */
  readonly namespace: string;
  /** Namespaces whose objects are judged. */
  readonly watched: WatchedNamespaces;
}

/** Does what is to be done about the webhook; false when the operator may not: then it is for users to do (§4.1). */
export async function isPerformed(deps: AdmissionDeps, act: WebhookAct, certificate: string): Promise<boolean> {
  try {
    await perform(deps, act, certificate);
    return true;
  } catch (error) {
    if (!isFault(error, faults.forbidden)) throw error;
    deps.log.warn("the operator may not manage the webhook", { act: act.kind, error });
    return false;
  }
}

async function perform(
  { kube, log, namespace, watched }: AdmissionDeps,
  act: WebhookAct,
  certificate: string,
): Promise<void> {
  log.info("managing the webhook", { act: act.kind });
  switch (act.kind) {
    case "install": {
      const caBundle = encodeBase64(certificate);
      const { webhooks } = webhookConfiguration(namespace, watched.names(), caBundle);
      return patchWebhooks(kube, [...webhooks, definitionsWebhook(namespace, caBundle)]);
    }
    case "lead":
      return patchWebhooks(kube, [
        { name: WEBHOOK_NAME, clientConfig: { url: null, service: operatorCall(namespace) } },
      ]);
    case "ask":
      return patchWebhooks(kube, [{ name: WEBHOOK_NAME, rules: judgedKinds() }]);
    case "delete-old":
      return kube.delete(ValidatingWebhookConfigurations, { name: OLD_WEBHOOK_CONFIGURATION });
    case "trust": {
      const caBundle = encodeBase64(act.certificates.join(""));
      return patchWebhooks(kube, [
        { name: WEBHOOK_NAME, clientConfig: { caBundle } },
        definitionsWebhook(namespace, caBundle),
      ]);
    }
    case "guard":
      return patchWebhooks(kube, [definitionsWebhook(namespace, encodeBase64(act.certificates.join("")))]);
    case "watch":
      return patchWebhooks(kube, [{ name: WEBHOOK_NAME, namespaceSelector: namespacesNamed(watched.names()) }]);
  }
}

/** Parts of an entry, and its name. */
type Named = Readonly<Record<string, unknown>> & { readonly name: string };

/** Entries are merged by their names: others stay as they are. */
async function patchWebhooks(kube: Kube, webhooks: readonly Named[]): Promise<void> {
  const body = { webhooks };
  await kube.patch(ValidatingWebhookConfigurations, { name: WEBHOOK_CONFIGURATION }, { type: "strategic", body });
}
