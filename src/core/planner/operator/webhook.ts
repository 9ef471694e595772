import { KINDS } from "../../api/kinds.ts";
import { applyFile, callOperator, deleteWebhooks, patchWebhook, trustCertificate } from "../../api/kubectl.ts";
import { ADMISSION_SECRET, OLD_WEBHOOK_CONFIGURATION, WEBHOOK_CONFIGURATION, WEBHOOK_NAME } from "../../api/names.ts";
import type { Condition, Finding } from "../../api/parts.ts";
import { judgedKinds } from "../../releases/bundle/admission.ts";
import { partsOf, pause, sentenceOf, wait } from "../findings/finding.ts";
import { conditionWords } from "../findings/statement.ts";
import { act, REST, waitFor, type Step } from "../findings/step.ts";
import { openingRemedy } from "../prerequisites/admission-route.ts";
import { astrayText, rightCall, unansweredText, type WebhookEntry } from "../prerequisites/webhook-entry.ts";
import type { AdmissionRoute, Reading, WebhookFacts } from "../prerequisites/environment.ts";

/** One configuration that calls a service of ours, or has one of our names. */
export interface InstalledWebhook extends Omit<WebhookEntry, "caBundle"> {
  readonly name: string;
  /** The kinds, as plurals, about whose creation and change it asks. */
  readonly asks: readonly string[];
  /** Certificates in it, PEM. */
  readonly trusted: readonly string[];
  /** Namespaces whose objects it is asked about, by name; undefined when they are chosen otherwise. */
  readonly judged: readonly string[] | undefined;
  /** Certificates in the entry that keeps definitions from becoming older, PEM; undefined without such an entry. */
  readonly guarded: readonly string[] | undefined;
}

export interface WebhookView {
  /** Namespace of the operator. */
  readonly namespace: string;
  /** The namespaces that the operator manages. */
  readonly watched: readonly string[];
  /** `cert` of the secret `admission-tls`, PEM; undefined while the secret is not there. */
  readonly certificate: string | undefined;
  /** For how long the webhook has trusted what it trusts now, in milliseconds. */
  readonly trustedForMs: number;
  readonly route: AdmissionRoute;
  /** Undefined when the operator may not look. */
  readonly installed: readonly InstalledWebhook[] | undefined;
}

export type WebhookAct =
  | { readonly kind: "install" | "lead" | "ask" | "delete-old" | "watch" }
  /** The certificates that the webhook shall trust, PEM; `guard` says so to the entry for definitions alone. */
  | { readonly kind: "trust" | "guard"; readonly certificates: readonly string[] };

/** What to do about the webhook next, and what is said of it. */
export interface WebhookDecision {
  readonly step: Step<WebhookAct>;
  readonly statement: WebhookStatement;
}

type WebhookStatement = Pick<Condition, "type" | "status" | "reason" | "message">;

/** §4.3 rule 4: the configuration is there once, calls this operator, and trusts its certificate. */
export function planWebhook(view: WebhookView): WebhookDecision {
  const { installed, certificate, route, namespace } = view;
  if (installed === undefined) return waitAs("Unknown", pause("NotReadable", BY_HAND));
  const old = installed.find(({ name }) => name === OLD_WEBHOOK_CONFIGURATION);
  if (old !== undefined) {
    const message = `${OLD_WEBHOOK_CONFIGURATION} of old releases is there and is removed`;
    const remedy = deleteWebhooks(OLD_WEBHOOK_CONFIGURATION);
    return actAs({ kind: "delete-old" }, "False", wait("OldWebhook", message, remedy));
  }
  if (certificate === undefined) {
    const message = `secret ${ADMISSION_SECRET} is not there yet; it is made within seconds`;
    return waitAs("False", pause("NoCertificate", message));
  }
  const own = installed.find(({ name }) => name === WEBHOOK_CONFIGURATION);
  if (route.endpoints === 0) {
    const effect = isEmpty(own) ? "the webhook is not filled in before there is one" : unansweredText(own?.isRefusing);
    const message = `${route.closed}: ${effect}`;
    return waitAs("False", wait("NoEndpoints", message, openingRemedy(route)));
  }
  if (own === undefined) {
    const message = `${WEBHOOK_CONFIGURATION} is not there, and nothing is judged before it is stored`;
    const remedy = `apply its file again (docs/admission.md): ${askForWebhook(namespace)}`;
    return waitAs("False", wait("NotInstalled", message, remedy));
  }
  if (isEmpty(own)) {
    const message = `${WEBHOOK_CONFIGURATION} calls nothing yet, and is being filled in`;
    return actAs({ kind: "install" }, "False", pause("NotInstalled", message));
  }
  return planOwn(view, own, certificate, namespace);
}

function planOwn(
  { installed = [], trustedForMs, watched }: WebhookView,
  own: InstalledWebhook,
  certificate: string,
  namespace: string,
): WebhookDecision {
  if (own.namespace !== "" && own.namespace !== namespace) {
    const message = `${WEBHOOK_CONFIGURATION} calls the operator in namespace ${own.namespace}, and what is written here is not judged`;
    const remedy = "install another configuration from deploy/admission/webhook-template.yaml under a name of its own";
    return waitAs("False", wait("OtherOperator", message, remedy));
  }
  if (own.calls !== rightCall(namespace)) {
    const message = `${astrayText(own, namespace)}: ${unansweredText(own.isRefusing)}, and it is being led to the operator`;
    const remedy = callOperator(own.name, own.entry, namespace);
    return actAs({ kind: "lead" }, "False", wait("CallsElsewhere", message, remedy));
  }
  if (own.trusted.length !== 1 || own.trusted[0] !== certificate) return planTrust(own, certificate, trustedForMs);
  if (own.judged !== undefined && !isSameSet(own.judged, watched)) {
    const message = `${WEBHOOK_CONFIGURATION} judges what is written in ${own.judged.join(", ")}, and is being changed to ${watched.join(", ")}`;
    return actAs({ kind: "watch" }, "False", pause("NamespacesStale", message));
  }
  const left = Object.values(KINDS).flatMap(({ plural }) => (own.asks.includes(plural) ? [] : [plural]));
  if (left.length > 0) return planKinds(own, left);
  return planCurrent(
    own,
    installed.filter(({ name, namespace: calls }) => name !== own.name && calls === namespace),
  );
}

/** What is left to do once the configuration is as it should be; `doubles` validate the same once more. */
function planCurrent(own: InstalledWebhook, doubles: readonly InstalledWebhook[]): WebhookDecision {
  if (doubles.length === 0) {
    const isGuarded = own.guarded !== undefined && isSameSet(own.guarded, own.trusted);
    const current = pause("Current", `${WEBHOOK_CONFIGURATION} is current and answered`);
    // what stands beside the judging of objects is no more than a help: without it nothing is stale
    return isGuarded
      ? { step: REST, statement: statementOf("True", current) }
      : actAs({ kind: "guard", certificates: own.trusted }, "True", current);
  }
  const remedy = deleteWebhooks(...doubles.map(({ name }) => name));
  return waitAs("False", wait("Doubled", "writes are validated twice", remedy));
}

function planKinds({ name, entry }: InstalledWebhook, left: readonly string[]): WebhookDecision {
  const message = `${name} does not ask about ${left.join(", ")}, and is being changed`;
  const remedy = patchWebhook(name, entry, { rules: judgedKinds() });
  return actAs({ kind: "ask" }, "False", wait("KindsMissing", message, remedy));
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

/** Replicas take a new certificate into use within this time, in milliseconds; until then the old one is trusted too. */
const CHANGE_MS = 10_000;

function planTrust({ trusted }: InstalledWebhook, certificate: string, trustedForMs: number): WebhookDecision {
  if (!trusted.includes(certificate)) {
    const message = `caBundle is not \`cert\` of secret ${ADMISSION_SECRET} and is being set`;
    const both = [...trusted.slice(-1), certificate];
    return actAs({ kind: "trust", certificates: both }, "False", wait("CertificateStale", message, patchCommand()));
  }
  const message =
    "the old certificate is trusted beside the new one for some seconds, until every replica has the new one";
  const changing = pause("CertificateChanging", message);
  return trustedForMs < CHANGE_MS
    ? waitAs("True", changing)
    : actAs({ kind: "trust", certificates: [certificate] }, "True", changing);
}

/** Type of the condition that says how the webhook is. */
export const ADMISSION_CONDITION = "AdmissionReady";

/** §4.1: the command that puts the certificate of the secret into the webhook. */
export function patchCommand(): string {
  return trustCertificate(WEBHOOK_CONFIGURATION, WEBHOOK_NAME, ADMISSION_SECRET);
}

/** Asks the operator to manage the webhook. */
function askForWebhook(namespace: string): string {
  return `sed 's/OPERATOR_NAMESPACE/${namespace}/g' deploy/admission/cluster-role.yaml | ${applyFile("-")}`;
}

/** The statement of an act that the operator may not do. */
export function leftToUsers({ message, ...said }: WebhookStatement, namespace: string): WebhookStatement {
  if (said.status === "True") return { ...said, message };
  const { evidence, remedy } = partsOf(message);
  const lines = [remedy, `to let the operator do it: ${askForWebhook(namespace)}`].filter((line) => line !== "");
  return {
    ...said,
    message: sentenceOf({ evidence: `${evidence}, but the operator may not`, remedy: lines.join("; ") }),
  };
}

/**
 * What upgrades are judged by, as a replica that runs sees it: it answers, though it may not be behind the Service yet, so that having no address
 * counts only where the Service leads elsewhere.
 */
export function webhookFacts(
  installed: readonly InstalledWebhook[] | undefined,
  { certificate, route, namespace }: Pick<WebhookView, "route" | "namespace"> & { readonly certificate: string },
): Reading<WebhookFacts> {
  if (installed === undefined) return { read: false, why: "the operator may not look at webhooks", isOptional: true };
  const configurations = installed
    .filter((webhook) => webhook.namespace === namespace)
    .map(({ name, entry, calls, isRefusing, trusted }) => {
      return { name, entry, calls, isRefusing, caBundle: trusted.join("") };
    });
  const seen = route.lacks === "pods" ? ({ endpoints: 1, closed: "", lacks: "nothing" } as const) : route;
  return { read: true, value: { namespace, configurations, certificate, route: seen } };
}

/** It calls nothing yet. */
function isEmpty(own: InstalledWebhook | undefined): boolean {
  return (own?.calls ?? "") === "";
}

const BY_HAND =
  "the operator may not look at ValidatingWebhookConfigurations, so the commands of docs/admission.md are yours " +
  `(after a new certificate: ${patchCommand()}); deploy/admission/cluster-role.yaml lets the operator do them`;

function waitAs(status: Condition["status"], finding: Finding): WebhookDecision {
  return { step: waitFor(finding), statement: statementOf(status, finding) };
}

/** The finding is what the act ends. */
function actAs(what: WebhookAct, status: Condition["status"], finding: Finding): WebhookDecision {
  return { step: act(what, finding.evidence), statement: statementOf(status, finding) };
}

function statementOf(status: Condition["status"], finding: Finding): WebhookStatement {
  return { type: ADMISSION_CONDITION, status, ...conditionWords(finding) };
}
