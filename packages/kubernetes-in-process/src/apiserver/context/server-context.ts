import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import type { AuditEntry } from "../auth/authorize.ts";
import type { PodLogs } from "./pod-logs.ts";
import type { Registry } from "../resources/registry.ts";
import type { Store } from "../store/store.ts";

/** What every handler works with. */
export interface ServerContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  readonly kubernetesVersion: string;
  /** Cluster IPs are `<servicePrefix><n>`, n from 1 to 254. */
  readonly servicePrefix: string;
  readonly tokenKey: Buffer;
  readonly podLogs: PodLogs | undefined;
  readonly audit: ((entry: AuditEntry) => void) | undefined;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
}
