import type { Secret } from "kubernetes-types/core/v1.js";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { ADMISSION_SECRET, ADMISSION_SERVICE } from "../../core/api/names.ts";
import type { Kube, Stored } from "#kit/kube/kube";
import type { KeyPair } from "#kit/pki/authority";
import { readUnheld } from "../../mechanisms/observe/kubernetes/unheld-secret.ts";
import { startPairs, type Serving } from "./tls.ts";

export interface WebhookCertificateDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the secret is. */
  readonly namespace: string;
}

/** How often the secret is looked at, in milliseconds, so that one that is made again is in use within a moment. */
const LOOK_MS = 500;
/** When a pair is used that clients with the former trust would refuse, in milliseconds: the webhook trusts it first. */
const TRUST_MS = 3_000;

/**
 * Reports what to present, first and after each change of the secret `admission-tls` and in time before it expires, until
 * `signal` aborts. What cannot be used is logged, and what was in use stays.
 */
export async function followCertificate(
  { kube, clock, log, namespace }: WebhookCertificateDeps,
  present: (serving: Serving) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const service = `${ADMISSION_SERVICE}.${namespace}.svc`;
  const pairs = startPairs([service, `${service}.cluster.local`]);
  let seen: string | undefined;
  let holder: string | undefined;
  let renewAt: Date | undefined;
  const take = async (pair: KeyPair): Promise<void> => {
    if (!pairs.carriesTrust(pair, clock.now())) await clock.sleep(TRUST_MS, signal);
    const why = pairs.use(pair, clock.now());
    if (why !== undefined) log.warn("the secret admission-tls cannot be used, the one before stays", { why });
  };
  const look = async (): Promise<void> => {
    const { secret, heldBy } = await readUnheld(kube, { name: ADMISSION_SECRET, namespace });
    if (heldBy !== undefined && heldBy !== holder)
      log.warn("the secret admission-tls is another's, the one before stays", { holder: heldBy });
    holder = heldBy;
    const isNew = secret !== undefined && secret.metadata.resourceVersion !== seen;
    if (isNew) await take(pairOf(secret));
    if (isNew || (renewAt !== undefined && renewAt <= clock.now())) {
      const serving = pairs.serving(clock.now());
      if (serving !== undefined) await present(serving);
      renewAt = serving?.renewAt;
    }
    seen = secret?.metadata.resourceVersion;
  };
  while (!signal.aborted) {
    try {
      await look();
      await clock.sleep(LOOK_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn("the secret admission-tls cannot be looked at, trying again", { error });
      await clock.sleep(LOOK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }
}

/** §2.1: two items, `cert` and `privateKey`. */
function pairOf({ data = {} }: Stored<Secret>): KeyPair {
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  return { certificate: text("cert"), key: text("privateKey") };
}
