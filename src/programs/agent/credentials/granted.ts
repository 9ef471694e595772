import type { Clock } from "#kit/base/clock";
import { Fault, isFault } from "#kit/base/fault";
import { Secrets } from "#kit/kube/builtin";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube, Ref } from "#kit/kube/kube";
import { faults } from "../faults.ts";

/** Where the Secrets of the nodes of `cluster` are. */
export interface OwnSecretsDeps {
  readonly kube: Kube;
  readonly cluster: string;
  readonly namespace: string;
  readonly clock: Clock;
}

/** An operator that runs writes the Role within a second; in milliseconds. */
const PATIENCE_MS = 10_000;
const AGAIN_MS = 100;

/**
 * Waits until the nodes may read a Secret that was just made, so that no record names one that they may not. The operator writes
 * names ahead: it is at once unless many were made. AGENT_SECRET_NOT_GRANTED after ten seconds.
 */
export async function untilGranted(
  { kube, clock }: Pick<OwnSecretsDeps, "kube" | "clock">,
  { name, namespace }: Ref,
): Promise<void> {
  const end = clock.uptimeMs() + PATIENCE_MS;
  for (;;) {
    // before it is asked: the last question comes when the time is over
    const isLate = clock.uptimeMs() > end;
    try {
      await kube.get(Secrets, { name, ...(namespace === undefined ? {} : { namespace }) });
      return;
    } catch (error) {
      if (!isFault(error, kubeFaults.forbidden)) throw error;
      if (isLate) throw notGranted(name, error);
    }
    await clock.sleep(AGAIN_MS);
  }
}

function notGranted(name: string, cause: unknown): Fault {
  return new Fault(faults.secretNotGranted, `the Role of the nodes does not name secret ${name} yet`, { name }, cause);
}
