/** What became of a review. `failed`: it could not be judged, and was let in with a warning. */
export type ReviewOutcome = "allowed" | "denied" | "failed";

/** Counts reviews and how long they took. */
export interface WebhookMetrics {
  /** `ms`: from the last byte of the question to the answer. */
  count(kind: string, outcome: ReviewOutcome, ms: number): void;
  /** Counts a caller that does not trust the certificate. */
  countDistrust(): void;
  /** When the certificate that is served ends; undefined while none is. */
  setExpiry(expiry: Date): void;
  /** Prometheus exposition format. */
  text(): string;
}

/** Upper bounds of the latency histogram, in seconds. */
const BOUNDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];

/** Metrics that begin at zero. */
export function startWebhookMetrics(): WebhookMetrics {
  const outcomes = new Map<string, number>();
  const buckets = BOUNDS.map(() => 0);
  let total = 0;
  let seconds = 0;
  let distrusted = 0;
  let expires: Date | undefined;
  return {
    count: (kind, outcome, ms) => {
      const labels = `kind="${kind}",outcome="${outcome}"`;
      outcomes.set(labels, (outcomes.get(labels) ?? 0) + 1);
      BOUNDS.forEach((bound, index) => {
        if (ms / 1000 <= bound) buckets[index] = (buckets[index] ?? 0) + 1;
      });
      total += 1;
      seconds += ms / 1000;
    },
    countDistrust: () => {
      distrusted += 1;
    },
    setExpiry: (expiry) => {
      expires = expiry;
    },
    text: () =>
      [
        "# TYPE store_webhook_reviews_total counter",
        ...[...outcomes].map(([labels, count]) => `store_webhook_reviews_total{${labels}} ${count}`),
        "# TYPE store_webhook_review_seconds histogram",
        ...BOUNDS.map((bound, index) => `store_webhook_review_seconds_bucket{le="${bound}"} ${buckets[index] ?? 0}`),
        `store_webhook_review_seconds_bucket{le="+Inf"} ${total}`,
        `store_webhook_review_seconds_sum ${seconds}`,
        `store_webhook_review_seconds_count ${total}`,
        "# TYPE store_webhook_distrust_total counter",
        `store_webhook_distrust_total ${distrusted}`,
        "# TYPE store_webhook_certificate_expiry_seconds gauge",
        ...(expires === undefined ? [] : [`store_webhook_certificate_expiry_seconds ${expires.getTime() / 1000}`]),
        "",
      ].join("\n"),
  };
}
