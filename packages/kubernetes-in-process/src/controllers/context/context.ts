import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import type { Kube } from "../../../../controller-kit/src/kube/kube.ts";
import type { Outcome } from "../../../../controller-kit/src/reconcile/outcome.ts";
import type { Enqueue } from "./enqueue.ts";
import type { Informers } from "./informers.ts";

/** What every controller works with. Informers report changes; decisions rest on what is read from the server. */
export interface ControllerContext {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly informers: Informers;
  readonly signal: AbortSignal;
}

/** One controller: what it does for a key, and which changes bring which keys. */
export interface ControllerDefinition {
  readonly name: string;
  readonly workers?: number;
  readonly reconcile: (key: string) => Promise<Outcome>;
  readonly wire: (enqueue: Enqueue) => void;
}
