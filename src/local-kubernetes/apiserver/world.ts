import type { Clock } from "../../core/base/clock.ts";
import type { Log } from "../../core/base/log.ts";
import type { Action } from "./auth/rbac.ts";
import type { KubeObject } from "./object.ts";
import type { Registry } from "./resources/registry.ts";
import type { Store } from "./store/store.ts";

export interface PodLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
}

/** Where container output comes from; the stream ends when `signal` aborts. */
export type PodLogs = (
  pod: KubeObject,
  container: string,
  options: PodLogOptions,
  signal: AbortSignal,
) => AsyncIterable<Uint8Array>;

/** One request as an audit sees it: who wanted to do what, and whether he might. */
export interface AuditEntry {
  readonly user: string;
  readonly action: Action;
  readonly allowed: boolean;
}

/** What every handler works with. */
export interface World {
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
