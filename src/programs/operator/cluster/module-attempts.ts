import type { UserModuleStatus } from "../../../core/api/cluster-status.ts";
import type { Clock } from "#kit/base/clock";
import { attemptDelayMs } from "../../../core/planner/modules/user-modules.ts";

/** What to do about a module that a cluster lacks. */
export type ModuleAttempt = "announce" | "try" | "later";

/** A module that could not be installed is tried again after this long, in milliseconds. */
const RETRY_MS = 2_000;

/**
 * When modules are tried. The first attempt of this process is announced in the status, and made once the status has it: an
 * archive that ends the process is then not fetched again at once. Later attempts follow each other after `RETRY_MS`.
 */
export function moduleAttempts(clock: Pick<Clock, "uptimeMs">) {
  const startedAt = clock.uptimeMs();
  const announced = new Map<string, number>();
  const tried = new Map<string, number>();
  return {
    /** `before`: the status of the module, as it was read back. */
    due(key: string, before: UserModuleStatus | undefined): ModuleAttempt {
      const now = clock.uptimeMs();
      const attempt = announced.get(key);
      if (attempt === undefined && now - startedAt < attemptDelayMs(before)) return "later";
      if (attempt === undefined || before?.attempts !== attempt) {
        announced.set(key, (before?.attempts ?? 0) + 1);
        return "announce";
      }
      if (now - (tried.get(key) ?? Number.NEGATIVE_INFINITY) < RETRY_MS) return "later";
      tried.set(key, now);
      return "try";
    },
  };
}
