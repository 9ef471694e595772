import { API_GROUP } from "../../../core/api/names.ts";
import { KINDS } from "../../../core/api/kinds.ts";
import type { Finding } from "../../../core/api/parts.ts";
import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Kube } from "../../../ports/kube/kube.ts";
import { tryAskOwnAccess } from "../../../mechanisms/observe/permissions/access-reviews.ts";
import { namespaceNotGranted } from "../../../core/planner/operator/watched-namespaces.ts";
import type { Need } from "../../../core/releases/permissions/roles.ts";

export interface GrantedOptions {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly log: Log;
  /** Namespace of the operator. */
  readonly own: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Told what stands in the way; undefined once nothing does. */
  readonly onFinding: (finding: Finding | undefined) => void;
}

interface Running {
  readonly over: AbortController;
  readonly ended: Promise<void>;
}

/** How often it is asked, in milliseconds. */
const ASK_MS = 2_000;

/**
 * Runs `work` while the operator has its Role in the namespace, anew each time it is given back or the work has ended by
 * itself, until the signal aborts.
 */
export async function whileGranted(
  options: GrantedOptions,
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
    const isGranted = await tryAskOwnAccess(kube, namespace, LISTING, log);
    if (isGranted === true && running === undefined) {
      onFinding(undefined);
      begin();
    }
    if (isGranted === false) {
      onFinding(namespaceNotGranted(namespace, own));
      await end(`the Role in namespace ${namespace} was taken away`);
    }
    await clock.sleep(ASK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
  await end("the operator ends");
}

const LISTING: Need = {
  who: "operator",
  group: API_GROUP,
  resource: KINDS.cluster.plural,
  verb: "list",
  why: "clusters are read and followed",
  without: "no cluster of the namespace is looked after",
};
