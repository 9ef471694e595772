import type { OwnerReference } from "kubernetes-types/meta/v1.js";
import type { Clock } from "../../base/clock.ts";
import { isFault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { OLD_WEBHOOK_CONFIGURATION, WEBHOOK_CONFIGURATION, WEBHOOK_NAME } from "../../api/names.ts";
import { ClusterRoles, ValidatingWebhookConfigurations } from "../../kube/builtin.ts";
import { faults } from "../../kube/faults.ts";
import type { Kube } from "../../kube/kube.ts";
import { ownerReference } from "../../kube/ref.ts";
import type { WatchedNamespaces } from "../../observe/watched-namespaces.ts";
import {
  careForWebhook,
  type InstalledWebhook,
  type WebhookAct,
  type WebhookDecision,
} from "../../planner/admission/webhook-care.ts";
import type { Reading, WebhookFacts } from "../../planner/prerequisites/surroundings.ts";
import { waiting, type Outcome } from "../../reconcile/outcome.ts";
import {
  ADMISSION_ACCESS,
  definitionsWebhook,
  namespacesNamed,
  webhookConfiguration,
} from "../../releases/admission.ts";
import { encoded } from "../objects/secrets.ts";
import { admissionEndpoints, installedWebhooks } from "./installed.ts";
import { admissionSecretKeeper } from "./secret.ts";

export interface AdmissionDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator. */
  readonly namespace: string;
  /** Namespaces whose objects are judged. */
  readonly watched: WatchedNamespaces;
}

/** What is known of admission, for the conditions of clusters. */
export interface AdmissionReport {
  /** Undefined before the first look. */
  readonly statement: () => WebhookDecision["statement"] | undefined;
  /** What upgrades are judged by, after the first look; undefined while it fails, and while what it found is being put right. */
  readonly facts: () => Promise<Reading<WebhookFacts> | undefined>;
}

/** The secret is looked at this often, and the configuration where the operator may; in milliseconds. */
const LOOK_MS = 1_000;
const FORBIDDEN_MS = 3_000;

/** Keeps the certificate of the webhook, and its configuration where the operator may; one act a pass. */
export function admissionReconciler(deps: AdmissionDeps): AdmissionReport & { reconcile(): Promise<Outcome> } {
  const keepSecret = admissionSecretKeeper(deps);
  let statement: WebhookDecision["statement"] | undefined;
  let facts: Reading<WebhookFacts> | undefined;
  let askAgainAt = 0;
  let unguarded: string | undefined;
  const age = startAge();
  const firstLook = Promise.withResolvers<undefined>();
  const look = async (): Promise<Outcome> => {
    const certificate = await keepSecret();
    const now = deps.clock.now().getTime();
    if (now < askAgainAt) return waiting(LOOK_MS, "NotReadable", "the configuration cannot be looked at");
    const installed = await installedWebhooks(deps.kube);
    const endpoints = await admissionEndpoints(deps.kube, deps.namespace);
    const found = JSON.stringify(installed);
    const trustedForMs = age.of(found, now);
    const { namespace } = deps;
    const watched = deps.watched.names();
    const decision = careForWebhook({ namespace, watched, certificate, trustedForMs, endpoints, installed });
    if (installed === undefined) askAgainAt = now + FORBIDDEN_MS;
    statement = decision.statement;
    const { kind } = decision.act;
    // a help that is not allowed is offered once, not again and again
    const isCared = !(kind === "guard" && found === unguarded) && (await isPerformed(deps, decision.act, certificate));
    unguarded = kind === "guard" && !isCared ? found : undefined;
    facts = isCared && kind !== "none" && kind !== "guard" ? undefined : factsFrom(installed, certificate, namespace);
    return waiting(LOOK_MS, statement.reason, statement.message);
  };
  return {
    statement: () => statement,
    facts: async () => {
      await firstLook.promise;
      return facts;
    },
    reconcile: () =>
      look().finally(() => {
        firstLook.resolve(undefined);
      }),
  };
}

/** Whoever looks here is one that answers: whether callers reach it is for them to see. */
function factsFrom(
  installed: readonly InstalledWebhook[] | undefined,
  certificate: string,
  namespace: string,
): Reading<WebhookFacts> {
  if (installed === undefined) return { read: false, why: "the operator may not look at webhooks" };
  const configurations = installed
    .filter((webhook) => webhook.namespace === namespace)
    .map(({ name, trusted }) => ({ name, caBundle: trusted.join("") }));
  return { read: true, value: { configurations, certificate, endpoints: 1 } };
}

/** False when the operator may not do it: then it is for users to do (§4.1). */
async function isPerformed(deps: AdmissionDeps, act: WebhookAct, certificate: string): Promise<boolean> {
  try {
    await perform(deps, act, certificate);
    return true;
  } catch (error) {
    if (!isFault(error, faults.forbidden)) throw error;
    deps.log.warn("the operator may not look after the webhook", { act: act.kind, error });
    return false;
  }
}

/** For how long something has been as it is. */
function startAge(): { of(text: string, now: number): number } {
  let seen: string | undefined;
  let since = 0;
  return {
    of: (text, now) => {
      if (text !== seen) [seen, since] = [text, now];
      return now - since;
    },
  };
}

async function perform(
  { kube, log, namespace, watched }: AdmissionDeps,
  act: WebhookAct,
  certificate: string,
): Promise<void> {
  if (act.kind !== "none") log.info("looking after the webhook", { act: act.kind });
  switch (act.kind) {
    case "create": {
      const wanted = webhookConfiguration(namespace, watched.names(), encoded(certificate));
      const metadata = { ...wanted.metadata, ...(await ownedByAccess(kube)) };
      const webhooks = [...wanted.webhooks, definitionsWebhook(namespace, encoded(certificate))];
      await kube.create(ValidatingWebhookConfigurations, { metadata, webhooks });
      return;
    }
    case "delete-old":
      return kube.delete(ValidatingWebhookConfigurations, { name: OLD_WEBHOOK_CONFIGURATION });
    case "trust": {
      const caBundle = encoded(act.certificates.join(""));
      return patchWebhooks(kube, [
        { name: WEBHOOK_NAME, clientConfig: { caBundle } },
        definitionsWebhook(namespace, caBundle),
      ]);
    }
    case "guard":
      return patchWebhooks(kube, [definitionsWebhook(namespace, encoded(act.certificates.join("")))]);
    case "watch":
      return patchWebhooks(kube, [{ name: WEBHOOK_NAME, namespaceSelector: namespacesNamed(watched.names()) }]);
    case "none":
      return;
  }
}

/** Parts of an entry, and its name. */
type Named = Readonly<Record<string, unknown>> & { readonly name: string };

/** Entries are merged by their names: others stay as they are. */
async function patchWebhooks(kube: Kube, webhooks: readonly Named[]): Promise<void> {
  const body = { webhooks };
  await kube.patch(ValidatingWebhookConfigurations, { name: WEBHOOK_CONFIGURATION }, { type: "strategic", body });
}

/** Once the operator may no longer look after it, a webhook would stand in everybody's way: it goes with that right. */
async function ownedByAccess(kube: Kube): Promise<{ readonly ownerReferences?: OwnerReference[] }> {
  try {
    const access = await kube.get(ClusterRoles, { name: ADMISSION_ACCESS });
    return access === undefined ? {} : { ownerReferences: [{ ...ownerReference(access), blockOwnerDeletion: false }] };
  } catch (error) {
    // a ClusterRole of before, or of the user's own making, does not let the operator look
    if (isFault(error, faults.forbidden)) return {};
    throw error;
  }
}
