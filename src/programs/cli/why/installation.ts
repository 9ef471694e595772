import type { Condition } from "../../../core/api/parts.ts";
import { partsOf } from "../../../core/planner/findings/finding.ts";
import { ADMISSION_CONDITION } from "../../../core/planner/operator/webhook.ts";
import { WATCH_CONDITION } from "../../../core/planner/operator/watched-namespaces.ts";
import { describeObject } from "../../../core/api/kubectl.ts";
import { unansweredText } from "../../../core/planner/prerequisites/webhook-entry.ts";
import type { WhyAnswer } from "./answer.ts";

/**
 * What clusters report of the installation around them: the webhook, and namespaces that the operator was asked to manage. What a check `said` of
 * the webhook says more.
 */
export function installationAnswers(
  object: string,
  conditions: readonly Condition[],
  said: readonly WhyAnswer[],
): readonly WhyAnswer[] {
  const isSaid = said.some(({ rule }) => OF_WEBHOOK.has(rule));
  return conditions
    .filter(({ type, status }) => INSTALLATION.has(type) && status === "False")
    .filter(({ type }) => type !== ADMISSION_CONDITION || !isSaid)
    .map(({ type, reason, message, lastTransitionTime: since }) => {
      const { evidence, remedy } = partsOf(message);
      const clears = remedy === "" ? describeObject(object) : remedy;
      const isRefused = REFUSED.has(reason) && !evidence.includes(unansweredText(false));
      const level = isRefused ? "blocks" : "warns";
      return { level, object, rule: reason, evidence: `${type} is False: ${evidence}`, since, clears };
    });
}

const INSTALLATION: ReadonlySet<string> = new Set([ADMISSION_CONDITION, WATCH_CONDITION]);

/** Checks that say the same of the webhook, from what the caller sees. */
const OF_WEBHOOK: ReadonlySet<string> = new Set(["WebhookStale", "WebhookDoubled"]);

/** With these a webhook refuses writes of users, or one that was asked for is never filled in. */
const REFUSED: ReadonlySet<string> = new Set([
  "OldWebhook",
  "NoCertificate",
  "NoEndpoints",
  "CertificateStale",
  "CallsElsewhere",
]);
