import type { Subscriptions } from "../protocol/subscriptions.ts";
import type { TrackingOptions } from "./tracking-options.ts";

/** What a client is sent unasked, wherever it is connected for that. */
interface Listening {
  readonly subscriptions: Subscriptions;
  readonly tracking: TrackingOptions;
  readonly isMonitoring: boolean;
}

/** The commands that bring connections to it. */
export interface KeptListening {
  /** Each with its channels. */
  readonly channels: readonly (readonly [string, ...Buffer[]])[];
  readonly tracking: readonly Buffer[];
  readonly isMonitoring: boolean;
}

/** What is kept of it for other shards. */
export function keepListening({ subscriptions, tracking, isMonitoring }: Listening): KeptListening {
  const channels = VERBS.map((verb) => [verb, ...subscriptions.named(verb)] as const).filter(
    ({ length }) => length > 1,
  );
  return { channels, tracking: tracking.replay(), isMonitoring };
}

const VERBS = ["SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE"] as const;
