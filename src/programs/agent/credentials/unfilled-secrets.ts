import { LABELS } from "../../../core/api/names.ts";
import { isFault } from "#kit/base/fault";
import { Secrets } from "#kit/kube/builtin";
import { faults } from "#kit/kube/faults";
import type { OwnSecretsDeps } from "./granted.ts";

/** A node that has taken a number fills its Secret within seconds, or it has died; in milliseconds. */
const FILLED_WITHIN_MS = 60_000;

/**
 * Removes the Secrets of numbers that were taken and never filled: a node that dies in between leaves one that no one uses any more. Asked
 * whenever the next number is looked for; what it saw taken then counts a minute later, and at most `most` numbers at a time.
 */
export function unfilledSecrets({ kube, cluster, namespace, clock }: OwnSecretsDeps, most: number) {
  let seen: { readonly from: number; readonly to: number; readonly at: number } | undefined;
  return async (next: number, nameOf: (number: number) => string): Promise<void> => {
    const now = clock.uptimeMs();
    if (seen !== undefined && now - seen.at < FILLED_WITHIN_MS) return;
    const due = seen;
    seen = { from: Math.max(1, next - most), to: next - 1, at: now };
    for (let number = due?.from ?? 1; due !== undefined && number <= due.to; number += 1) {
      const ref = { name: nameOf(number), namespace };
      try {
        const secret = await kube.get(Secrets, ref);
        const isOurs = secret?.metadata.labels?.[LABELS.cluster] === cluster;
        if (secret === undefined || !isOurs || Object.keys(secret.data ?? {}).length > 0) continue;
        const { uid, resourceVersion } = secret.metadata;
        await kube.delete(Secrets, ref, { uid, resourceVersion });
      } catch (error) {
        // another's, which the Role does not name; filled or removed at this moment
        const isExpected = [faults.forbidden, faults.conflict, faults.notFound].some((fault) => isFault(error, fault));
        if (!isExpected) throw error;
      }
    }
  };
}
