import type {
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "kubernetes-types/admissionregistration/v1.js";
import { KINDS } from "../../../core/api/kinds.ts";
import {
  API_GROUP,
  API_VERSION,
  DEFINITIONS_WEBHOOK_NAME,
  OLD_WEBHOOK_CONFIGURATION,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_NAME,
} from "../../../core/api/names.ts";
import { ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";
import { askOwnAccess } from "../../../mechanisms/observe/permissions/access-reviews.ts";
import { webhookEntry } from "../../../core/planner/prerequisites/webhook-entry.ts";
import type { InstalledWebhook } from "../../../core/planner/operator/webhook.ts";
import { NAMESPACE_NAME } from "../../../core/releases/bundle/admission.ts";
import type { Need } from "../../../core/releases/permissions/roles.ts";

/** The configurations that concern us; undefined when the operator may not look. */
export async function installedWebhooks(kube: Kube): Promise<readonly InstalledWebhook[] | undefined> {
  if (!(await askOwnAccess(kube, "", LISTING))) return undefined;
  const { items } = await kube.list(ValidatingWebhookConfigurations);
  return items.flatMap(installedWebhook);
}

/** Granted by deploy/admission/cluster-role.yaml, which is optional: it is asked for and never missed. */
const LISTING: Need = {
  who: "operator",
  group: "admissionregistration.k8s.io",
  resource: "validatingwebhookconfigurations",
  verb: "list",
  why: "the webhook is managed",
  without: "users manage the webhook themselves",
};

function installedWebhook({ metadata, webhooks = [] }: Stored<ValidatingWebhookConfiguration>): InstalledWebhook[] {
  const isNamed = [WEBHOOK_CONFIGURATION, OLD_WEBHOOK_CONFIGURATION].includes(metadata.name);
  const webhook = webhooks.find(({ name }) => name === WEBHOOK_NAME) ?? (isNamed ? webhooks[0] : undefined);
  if (webhook === undefined && !isNamed) return [];
  const { entry, namespace, calls, isRefusing, caBundle } = webhookEntry({ webhooks });
  return [
    {
      name: metadata.name,
      entry,
      namespace,
      calls,
      isRefusing,
      asks: askedBy(webhook),
      trusted: certificatesIn(caBundle),
      judged: judgedBy(webhook),
      guarded: guardedBy(webhooks),
    },
  ];
}

function askedBy(webhook: ValidatingWebhook | undefined): readonly string[] {
  const plurals = Object.values(KINDS).map(({ plural }) => plural);
  return plurals.filter((plural) =>
    ["CREATE", "UPDATE"].every((operation) => webhook?.rules?.some((rule) => isAbout(rule, operation, plural))),
  );
}

/** The types lack the resources of a rule. */
type AskingRule = RuleWithOperations & { readonly resources?: readonly string[] };

function isAbout(rule: AskingRule, operation: string, plural: string): boolean {
  const has = (list: readonly string[] | undefined, ...some: readonly string[]): boolean =>
    list?.some((each) => some.includes(each)) === true;
  const isOurs = has(rule.apiGroups, "*", API_GROUP) && has(rule.apiVersions, "*", API_VERSION);
  return isOurs && has(rule.operations, "*", operation) && has(rule.resources, "*", "*/*", plural);
}

function guardedBy(webhooks: readonly ValidatingWebhook[]): readonly string[] | undefined {
  const guard = webhooks.find(({ name }) => name === DEFINITIONS_WEBHOOK_NAME);
  return guard && certificatesIn(guard.clientConfig.caBundle ?? "");
}

/** Undefined unless the selector is of the form that we write. */
function judgedBy(webhook: ValidatingWebhook | undefined): readonly string[] | undefined {
  const { matchExpressions = [], matchLabels } = webhook?.namespaceSelector ?? {};
  const [only, ...others] = matchExpressions;
  const isOurs =
    matchLabels === undefined && others.length === 0 && only?.key === NAMESPACE_NAME && only.operator === "In";
  return isOurs ? only.values : undefined;
}

/** The certificates of a bundle; one that cannot be read trusts no server. */
function certificatesIn(caBundle: string): readonly string[] {
  const text = Buffer.from(caBundle, "base64").toString();
  return (text.match(PEM) ?? []).map((certificate) => `${certificate}\n`);
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
