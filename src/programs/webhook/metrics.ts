import { KINDS } from "../../core/api/kinds.ts";
import { REVIEW_BOUNDS } from "../../core/api/metrics/bounds.ts";
import { exposition } from "../../core/api/metrics/exposition.ts";
import { Histogram } from "#kit/base/histogram";
import { CustomResourceDefinitions } from "#kit/kube/builtin";

/** What became of a review. `failed`: it could not be judged, and was let in with a warning. */
export type ReviewOutcome = "allowed" | "denied" | "failed";

/** Counts reviews and how long they took. */
export interface WebhookMetrics {
  /** `ms`: from the last byte of the question to the answer. A kind that is never asked about is counted as `other`. */
  count(kind: string, outcome: ReviewOutcome, ms: number): void;
  /** Counts a caller that does not trust the certificate. */
  countDistrust(): void;
  /** When the certificate that is served ends; undefined while none is. */
  setExpiry(expiry: Date): void;
  /** Prometheus exposition format. */
  text(): string;
}

/** Anyone in the network of pods may send reviews, about whatever kind: others have no series of their own. */
const JUDGED: ReadonlySet<string> = new Set([
  ...Object.values(KINDS).map(({ kind }) => kind),
  CustomResourceDefinitions.kind,
]);

/** Metrics that begin at zero. */
export function startWebhookMetrics(): WebhookMetrics {
  const reviews = new Map<string, { readonly labels: { kind: string; outcome: ReviewOutcome }; value: number }>();
  const seconds = new Histogram(REVIEW_BOUNDS);
  let distrusted = 0;
  let expires: Date | undefined;
  return {
    count: (asked, outcome, ms) => {
      const kind = JUDGED.has(asked) ? asked : "other";
      const key = `${kind} ${outcome}`;
      const review = reviews.get(key) ?? { labels: { kind, outcome }, value: 0 };
      reviews.set(key, review);
      review.value += 1;
      seconds.add(ms / 1000);
    },
    countDistrust: () => {
      distrusted += 1;
    },
    setExpiry: (expiry) => {
      expires = expiry;
    },
    text: () =>
      exposition({
        store_webhook_reviews_total: [...reviews.values()],
        store_webhook_review_seconds: [{ labels: {}, value: seconds.distribution }],
        store_webhook_distrust_total: [{ labels: {}, value: distrusted }],
        store_webhook_certificate_expiry_seconds:
          expires === undefined ? [] : [{ labels: {}, value: expires.getTime() / 1000 }],
      }),
  };
}
