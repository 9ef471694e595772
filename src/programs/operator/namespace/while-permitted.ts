import { API_GROUP } from "../../../core/api/names.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { Kube } from "#kit/kube/kube";
import { tryAskOwnAccess } from "../../../mechanisms/observe/permissions/access-reviews.ts";
import { namespaceNotGranted } from "../../../core/planner/operator/watched-namespaces.ts";
import type { Need } from "../../../core/releases/permissions/roles.ts";

export interface PermittedOptions {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator. */
  readonly own: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Called with what is missing; undefined once nothing is. */
  readonly onFinding: (finding: Finding | undefined) => void;
}

interface Running {
  readonly over: AbortController;
  readonly ended: Promise<void>;
}

/** Pause between access reviews, in milliseconds. */
const REVIEW_MS = 2_000;

/** Runs `work` while the operator has its Role in the namespace, and again when the work has ended, until the signal aborts. */
export async function whilePermitted(
  options: PermittedOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { kube, clock, log, own, namespace, signal, onFinding } = options;
  let running: Running | undefined;
  const begin = (): void => {
    const over = new AbortController();
    const ended = work(AbortSignal.any([signal, over.signal])).finally(() => {
      if (running?.over === over) running = undefined;
    });
    running = { over, ended };
  };
  const end = async (why: string): Promise<void> => {
    running?.over.abort(new Error(why));
    await running?.ended;
    running = undefined;
  };
  while (!signal.aborted) {
    const isPermitted = await tryAskOwnAccess(kube, namespace, LISTING, log);
    if (isPermitted === true && running === undefined) {
      onFinding(undefined);
      begin();
    }
    if (isPermitted === false) {
      onFinding(namespaceNotGranted(namespace, own));
      await end(`the Role in namespace ${namespace} was removed`);
    }
    await clock.sleep(REVIEW_MS, signal).catch(() => undefined); // aborted: the loop ends
  }
  await end("the namespace is no longer managed");
}

const LISTING: Need = {
  who: "operator",
  group: API_GROUP,
  resource: KINDS.cluster.plural,
  verb: "list",
  why: "clusters are read and followed",
  without: "no cluster of the namespace is managed",
};
