import type { KubeObject } from "../objects/object.ts";

/** Which part of a container's output a client wants. */
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
