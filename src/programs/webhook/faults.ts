import type { FaultSpec } from "#kit/base/fault";

/** What can go wrong in the admission webhook. */
export const faults = {
  badReview: {
    code: "WEBHOOK_BAD_REVIEW",
    retry: "never",
    remedy: "Send an AdmissionReview of admission.k8s.io/v1 with a request, as the Kubernetes API server does.",
  },
} as const satisfies Record<string, FaultSpec>;
