import type { ApiServerOptions } from "../apiserver/server.ts";
import type { Log } from "../../../controller-kit/src/base/log.ts";
import type { ImageStore } from "../kubelet/container/images.ts";
import type { RetryPolicy } from "../kubelet/container/backoff.ts";

/** What a world starts with. */
export interface WorldOptions extends Pick<ApiServerOptions, "audit" | "kubernetesVersion"> {
  /** Holds everything that survives a restart: objects, certificates, persistent volumes. */
  readonly dir: string;
  readonly log: Log;
  /** What the images of pods stand for. */
  readonly images: ImageStore;
  /** Pauses between restarts of containers and between pulls; those of Kubernetes when absent. */
  readonly retry?: RetryPolicy;
}
