import type { Log } from "../../../../controller-kit/src/base/log.ts";

/** `historyLimit` changes are kept for watchers; the file is rewritten when it exceeds twice its live size plus `slackBytes`. */
export interface StoreOptions {
  readonly dataDir: string;
  readonly log: Log;
  readonly historyLimit?: number;
  readonly slackBytes?: number;
}
