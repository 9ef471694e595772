import type { Clock } from "#kit/base/clock";
import { isFault } from "#kit/base/fault";
import { refusals, refuse } from "../http/refusals.ts";

/** An operator that runs makes Secrets within a second. Shorter than operators wait for an answer, in milliseconds. */
const PATIENCE_MS = 2_000;
const AGAIN_MS = 200;

/**
 * What `act` answers, which needs a Secret that the operator makes: while none is there it is done again, once `isReady`. Requests that
 * use up what was made ahead wait for the operator so. AGENT_SECRET_NOT_MADE after two seconds, and nothing has changed then.
 */
export async function whenSecretIsThere<T>(
  clock: Clock,
  isReady: () => Promise<boolean>,
  act: () => Promise<T>,
): Promise<T> {
  const end = clock.uptimeMs() + PATIENCE_MS;
  for (;;) {
    const isLate = clock.uptimeMs() >= end;
    try {
      return await act();
    } catch (error) {
      if (!isFault(error, refusals.secretNotMade) || isLate) throw error;
    }
    do await clock.sleep(AGAIN_MS);
    while (!(await isReady()) && clock.uptimeMs() < end);
  }
}

/** Refuses to make one of these: no Secret is there for it. */
export function refuseWithoutSecret(what: "database" | "user"): never {
  throw refuse(
    refusals.secretNotMade,
    `no Secret is there for another ${what}: the operator makes them ahead, and has not made the next one yet`,
  );
}
