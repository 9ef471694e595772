import { isFault, messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { faults } from "#kit/kube/faults";
import type { Outcome } from "#kit/reconcile/outcome";

type Reconcile = (key: string) => Promise<Outcome>;

/** Failures that the pass has written on its object already. */
const reported = new WeakSet<Error>();

/** Notes that the object says what failed. */
export function noteReported(failure: Error): void {
  reported.add(failure);
}

/**
 * Runs passes; what fails twice in a row is written on the object by `report`, so that no status of an earlier pass stands for one
 * that was not done. A race with another writer is no failure.
 */
export function withFailuresReported(
  reconcile: Reconcile,
  report: (key: string, message: string) => Promise<void>,
  log: Log,
): Reconcile {
  const failed = new Set<string>();
  return async (key) => {
    try {
      const outcome = await reconcile(key);
      failed.delete(key);
      return outcome;
    } catch (error) {
      const isRace = isFault(error, faults.conflict) || isFault(error, faults.alreadyExists);
      const isKnown = error instanceof Error && reported.has(error);
      if (!isRace && !isKnown && failed.has(key)) {
        await report(key, messageOf(error)).catch((failure: unknown) => {
          log.warn("a failure could not be written on its object", { key, error: failure });
        });
      }
      if (!isRace) failed.add(key);
      throw error;
    }
  };
}
