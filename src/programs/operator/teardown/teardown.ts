import { isFault, messageOf } from "#kit/base/fault";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import { OPERATOR_NAME } from "../../../core/api/names.ts";
import { Deployments, ServiceAccounts } from "#kit/kube/builtin";
import type { EventRecorder } from "#kit/kube/events";
import { faults } from "#kit/kube/faults";
import { startInformer } from "#kit/kube/informer";
import type { Kube } from "#kit/kube/kube";
import type { WatchedNamespaces } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { AT_REST, type Outcome } from "#kit/reconcile/outcome";
import { accountRelease } from "./account.ts";
import { addTeardownFinalizer, isDeleted, isHeld, removeTeardownFinalizer } from "./deployment.ts";
import { hasCachedObjects, hasObjects, removeFinalizersIn, type ManagedKinds } from "./managed-objects.ts";

export interface TeardownDeps {
  readonly kube: Kube;
  /** Namespace of the operator. */
  readonly namespace: string;
  readonly watched: WatchedNamespaces;
  /** Of the operator's own namespace. */
  readonly cache: ManagedKinds;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/** Keeps the operator until its finalizers are removed, so that a deleted bundle leaves no object that cannot be deleted. */
export interface Teardown {
  /** Aborts when the operator's own Deployment is being deleted. */
  readonly due: AbortSignal;
  /** Gives the Deployment its finalizer while there are clusters or databases, and removes it after them. */
  reconcileFinalizer(): Promise<Outcome>;
  /** Calls back when the Deployment or its account changes. */
  onChange(listener: () => void): void;
  /** Whether the Deployment is being deleted now, as with its namespace; asked when the operator ends and can learn it in no other way. */
  isDue(): Promise<boolean>;
  /** Removes the finalizers of every cluster and database without touching their data, then the operator's own. */
  run(): Promise<void>;
}

/** Follows the Deployment of the operator; where there is none, as in a process outside Kubernetes, there is nothing to do. */
export function followTeardown(deps: TeardownDeps): Teardown {
  const { kube, namespace, watched, clock, log, events, signal } = deps;
  const own = { name: OPERATOR_NAME, namespace };
  const further = (): string[] => watched.names().filter((name) => name !== namespace);
  const due = new AbortController();
  const options = { namespace, fieldSelector: OWN_NAME, clock, log, signal };
  const deployments = startInformer(kube, Deployments, options);
  const accounts = startInformer(kube, ServiceAccounts, options);
  const releaseAccount = accountRelease(deps);
  deployments.onChange((_ref, current) => {
    if (current !== undefined && isDeleted(current)) due.abort(new Error("the operator is being deleted"));
  });
  return {
    due: due.signal,
    onChange: (listener) => {
      deployments.onChange(listener);
      accounts.onChange(listener);
    },
    async reconcileFinalizer() {
      const deployment = deployments.get(own);
      if (deployment === undefined || isDeleted(deployment)) return AT_REST;
      const account = accounts.get(own);
      if (account !== undefined && isDeleted(account)) return releaseAccount(account, deployment);
      const isNeeded = await isAnythingLeft(deps, further());
      const isThere = isHeld(deployment) && (account === undefined || isHeld(account));
      if (isNeeded !== isThere) await (isNeeded ? addTeardownFinalizer : removeTeardownFinalizer)(kube, own);
      return AT_REST;
    },
    isDue: () => isOwnDeleted(deps),
    async run() {
      log.info("the operator is being deleted: it removes its finalizers; clusters and databases keep their data");
      // a process that was asked to end has the rest of its grace period
      const removal = { kube, events, signal: signal.aborted ? AbortSignal.timeout(LAST_MS) : signal };
      for (const each of further()) await unlessForbidden(removeFinalizersIn(removal, each), undefined, log);
      await removeFinalizersIn(removal, namespace);
      await events.flush();
      await removeTeardownFinalizer(kube, own);
    },
  };
}

const OWN_NAME = `metadata.name=${OPERATOR_NAME}`;

/** Asked of the API server: the informer may end with what asks. The operator may list Deployments, and get none by name. */
async function isOwnDeleted({ kube, namespace, log }: TeardownDeps): Promise<boolean> {
  const listed = kube.list(Deployments, { namespace, fieldSelector: OWN_NAME });
  const items = await unlessForbidden(
    listed.then((list) => list.items),
    [],
    log,
  );
  return items.some(isDeleted);
}

/** Kubernetes kills a pod 30 s after it has asked it to end. */
const LAST_MS = 20_000;

/** The informer cache may be late: that nothing is left is read from the API server. */
async function isAnythingLeft(
  { kube, namespace, cache, log }: TeardownDeps,
  further: readonly string[],
): Promise<boolean> {
  return (
    hasCachedObjects(cache) ||
    (await hasObjects(kube, [namespace])) ||
    (await unlessForbidden(hasObjects(kube, further), false, log))
  );
}

/** A Role may be gone already, as with a namespace that is being deleted; that must not keep the operator for ever. */
async function unlessForbidden<T>(request: Promise<T>, otherwise: T, log: Log): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!isFault(error, faults.forbidden)) throw error;
    log.warn("requests to a namespace are forbidden: its objects keep their finalizers", {
      reason: messageOf(error),
    });
    return otherwise;
  }
}
