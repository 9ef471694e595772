import { API_GROUP } from "../api/names.ts";
import { KINDS } from "../api/kinds.ts";
import type { Finding } from "../api/parts.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Kube } from "../kube/kube.ts";
import { askOwnAccess } from "../observe/access-reviews.ts";
import { namespaceNotGranted } from "../planner/watched-namespaces.ts";
import type { Need } from "../releases/roles.ts";

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

/** How often it is asked, in milliseconds. */
const ASK_MS = 2_000;

/** Runs `work` while the operator has its Role in the namespace, anew each time it is given back, until the signal aborts. */
export async function whileGranted(
  options: GrantedOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { clock, own, namespace, signal, onFinding } = options;
  let running: { readonly over: AbortController; readonly ended: Promise<void> } | undefined;
  const end = async (why: string): Promise<void> => {
    running?.over.abort(new Error(why));
    await running?.ended;
    running = undefined;
  };
  while (!signal.aborted) {
    const isGranted = await mayList(options);
    if (isGranted === true && running === undefined) {
      onFinding(undefined);
      const over = new AbortController();
      running = { over, ended: work(AbortSignal.any([signal, over.signal])) };
    }
    if (isGranted === false) {
      onFinding(namespaceNotGranted(namespace, own));
      await end(`the Role in namespace ${namespace} was taken away`);
    }
    await clock.sleep(ASK_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
  await end("the operator ends");
}

/** Undefined when the API server does not answer. */
async function mayList({ kube, namespace, log }: GrantedOptions): Promise<boolean | undefined> {
  try {
    return await askOwnAccess(kube, namespace, LISTING);
  } catch (error) {
    log.warn("cannot ask what the operator may do", { namespace, reason: messageOf(error) });
    return undefined;
  }
}

const LISTING: Need = {
  who: "operator",
  group: API_GROUP,
  resource: KINDS.cluster.plural,
  verb: "list",
  why: "clusters are read and followed",
  without: "no cluster of the namespace is looked after",
};
