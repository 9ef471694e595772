import type { ServiceAccount } from "kubernetes-types/core/v1.js";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { applyBundle, restartDeployment } from "../../../core/api/kubectl.ts";
import { OPERATOR_NAME, TEARDOWN_FINALIZER } from "../../../core/api/names.ts";
import { ServiceAccounts } from "#kit/kube/builtin";
import type { EventRecorder } from "#kit/kube/events";
import type { Kube, Stored } from "#kit/kube/kube";
import { AT_REST, lookAgain, type Outcome } from "#kit/reconcile/outcome";
import { removeFinalizer } from "../objects/finalizer.ts";
import { isHeld } from "./deployment.ts";

/** With what the account of the operator is given up. */
export interface AccountDeps {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
}

/**
 * Lets the deletion of the operator's account end when its Deployment stays: no account comes back from its deletion, and Kubernetes refuses
 * its tokens after a minute. What deletes a bundle deletes the Deployment a moment later, and needs the account until then.
 */
export function accountRelease({ kube, clock, log, events }: AccountDeps) {
  let seen: { readonly uid: string; readonly at: number } | undefined;
  return async (account: Stored<ServiceAccount>, deployment: Stored<object>): Promise<Outcome> => {
    if (!isHeld(account)) return AT_REST;
    const { uid } = account.metadata;
    if (seen?.uid !== uid) seen = { uid, at: clock.uptimeMs() };
    const leftMs = seen.at + BUNDLE_MS - clock.uptimeMs();
    if (leftMs > 0) return lookAgain(leftMs);
    log.error("the account of the operator was deleted and its Deployment was not: it ends", { remedy: REMEDY });
    const ends = () => removeFinalizer(kube, ServiceAccounts, account, TEARDOWN_FINALIZER);
    await events.recordAhead(deployment, [ACCOUNT_DELETED], ends);
    return AT_REST;
  };
}

/** So long after the account the Deployment of a deleted bundle may be deleted, in milliseconds. */
const BUNDLE_MS = 20_000;

const REMEDY = `${applyBundle()} && ${restartDeployment(OPERATOR_NAME)}`;

const ACCOUNT_DELETED = {
  type: "Warning",
  reason: "AccountDeleted",
  message: `the ServiceAccount ${OPERATOR_NAME} was deleted, so Kubernetes refuses the operator within a minute; data is served all the same; make it again: ${REMEDY}`,
} as const;
