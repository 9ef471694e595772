import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import { limitedRate } from "#kit/base/limited-rate";
import type { Log } from "#kit/base/log";
import { OPERATOR_NAME } from "../../core/api/names.ts";
import { ACCEPTED, type SpecReview } from "../../core/planner/admission/review.ts";
import type { GrowthRefusal } from "../../core/planner/view/volume-growth.ts";
import type { Ref } from "#kit/kube/kube";
import type { Release } from "../../core/releases/catalogue/release.ts";
import { grownSize, isExempt, isDefinition, validate, validateDefinition } from "./validate.ts";
import type { WebhookMetrics } from "./metrics.ts";
import type { ObjectLookup } from "./namespace-objects.ts";
import { answerTo, readQuestion, type ReviewRequest } from "./review.ts";

export interface ReviewerDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator. */
  readonly namespace: string;
  readonly release: Release;
  readonly objects: ObjectLookup;
  /** What Kubernetes has against volumes of that size for a cluster; undefined when nothing, or when it cannot be asked. */
  readonly growthRefusal: (cluster: Required<Ref>, size: string) => Promise<GrowthRefusal | undefined>;
  readonly metrics: WebhookMetrics;
}

/**
 * Answers reviews. What cannot be judged is let in with a warning: the operator looks at every spec again, and a webhook
 * that fails would stop users who have done nothing wrong.
 */
export function reviewer(deps: ReviewerDeps): (text: string) => Promise<object> {
  const sayFailed = limitedRate(deps.clock, SAID_MS, ({ kind, name }: ReviewRequest, error: unknown) => {
    deps.log.error("a write could not be judged and is let in", { kind: kind.kind, name, error });
  });
  return async (text) => {
    const began = deps.clock.uptimeMs();
    const question = readQuestion(text);
    const { review, outcome } = await verdictOn(question.request, deps, sayFailed);
    deps.metrics.count(question.request.kind.kind, outcome, deps.clock.uptimeMs() - began);
    return answerTo(question, review);
  };
}

/** Anyone may send reviews, and the metrics count each: one line in this time, in milliseconds. */
const SAID_MS = 1_000;

interface Verdict {
  readonly review: SpecReview;
  readonly outcome: "allowed" | "denied" | "failed";
}

async function verdictOn(
  asked: ReviewRequest,
  deps: ReviewerDeps,
  sayFailed: (asked: ReviewRequest, error: unknown) => void,
): Promise<Verdict> {
  if (isDefinition(asked)) return outcomeOf(validateDefinition(asked));
  if (isExempt(asked) || isOperator(asked, deps.namespace)) return outcomeOf(ACCEPTED);
  try {
    return outcomeOf(await reviewOf(asked, deps));
  } catch (error) {
    sayFailed(asked, error);
    const warning = `admission could not judge this (${messageOf(error)}); SPEC STATUS shows what the operator finds`;
    return { review: { denials: [], warnings: [warning] }, outcome: "failed" };
  }
}

function outcomeOf(review: SpecReview): Verdict {
  return { review, outcome: review.denials.length > 0 ? "denied" : "allowed" };
}

/** The informer cache is used first; a denial rests on what the API server has now. */
async function reviewOf(
  asked: ReviewRequest,
  { objects, release, namespace, growthRefusal }: ReviewerDeps,
): Promise<SpecReview> {
  if (!objects.watches(asked.namespace)) {
    const warning = `the operator in namespace ${namespace} does not manage namespace ${asked.namespace}`;
    return { denials: [], warnings: [warning] };
  }
  const size = grownSize(asked);
  const cluster = { name: asked.name, namespace: asked.namespace };
  const refusal = size === undefined ? undefined : await growthRefusal(cluster, size);
  const cached = objects.cached(asked.namespace);
  const quick = cached === undefined ? undefined : validate(asked, cached, release, refusal);
  return quick?.denials.length === 0 ? quick : validate(asked, await objects.read(asked.namespace), release, refusal);
}

/** The operator's own writes are never held up. */
function isOperator({ userInfo }: ReviewRequest, namespace: string): boolean {
  return userInfo.username === `system:serviceaccount:${namespace}:${OPERATOR_NAME}`;
}
