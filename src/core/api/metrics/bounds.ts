/** Upper bounds of histograms of requests, in seconds. */
export const REQUEST_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Bounds for the times in which clients are held. */
export const HOLD_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Bounds for reviews of the webhook, which the API server waits for. */
export const REVIEW_BOUNDS: readonly number[] = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1];
