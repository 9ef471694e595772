import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { ServiceAccount } from "kubernetes-types/core/v1.js";
import type { Role, RoleBinding } from "kubernetes-types/rbac/v1.js";
import type { Clock } from "../../../core/base/clock.ts";
import { isFault, messageOf } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import { FINALIZERS } from "../../../core/api/kinds.ts";
import { APP_LABEL, LABELS, TEARDOWN_FINALIZER, TEARDOWN_NAME, OPERATOR_NAME } from "../../../core/api/names.ts";
import { Deployments, RoleBindings, Roles, ServiceAccounts } from "../../../ports/kube/builtin.ts";
import type { EventRecorder } from "../../../ports/kube/events.ts";
import { faults } from "../../../ports/kube/faults.ts";
import { startInformer, type Informer } from "../../../ports/kube/informer.ts";
import type { Kube, Ref, ResourceType, Stored, Wanted } from "../../../ports/kube/kube.ts";
import { ownerReference } from "../../../ports/kube/ref.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  RemoteClusters,
} from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { WatchedNamespaces } from "../../../mechanisms/observe/kubernetes/watched-namespaces.ts";
import { settled, type Outcome } from "../../../mechanisms/reconcile/outcome.ts";
import { TEARDOWN_RULES } from "../../../core/releases/permissions/roles.ts";
import { removeFinalizer } from "../objects/finalizer.ts";

export interface TeardownDeps {
  readonly kube: Kube;
  /** Namespace of the operator. */
  readonly namespace: string;
  readonly watched: WatchedNamespaces;
  /** Of what is held in its own namespace. */
  readonly cache: ManagedKinds;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventRecorder;
  readonly signal: AbortSignal;
}

/** Sees to it that a deleted bundle is gone for good: nothing that the operator holds is left for nobody to let go. */
export interface Teardown {
  /** Aborts when the operator's own Deployment is being deleted. */
  readonly due: AbortSignal;
  /** Makes the operator stay to the end while there are clusters or databases, and no longer. */
  reconcileFinalizer(): Promise<Outcome>;
  /** Calls back when the Deployment changes. */
  onChange(listener: () => void): void;
  /** Lets every cluster and database go without touching their data, then the operator's own objects. */
  leave(): Promise<void>;
}

/** What is held, in the order in which it is let go. */
const HELD: readonly Held[] = [
  { type: ActiveActiveDatabases, finalizer: FINALIZERS.activeActive, applied: ({ activeActives }) => activeActives },
  { type: RemoteClusters, finalizer: FINALIZERS.remoteCluster, applied: ({ remoteClusters }) => remoteClusters },
  { type: Databases, finalizer: FINALIZERS.database, applied: ({ databases }) => databases },
  { type: Clusters, finalizer: FINALIZERS.cluster, applied: ({ clusters }) => clusters },
];

interface Held {
  readonly type: ResourceType;
  readonly finalizer: string;
  readonly applied: (cache: ManagedKinds) => Informer<object>;
}

type ManagedKinds = Pick<InformerCache, "clusters" | "databases" | "activeActives" | "remoteClusters">;

const MANAGER = { fieldManager: TEARDOWN_NAME, force: true } as const;

/** Follows the Deployment of the operator; where there is none, as in a process of one's own, nothing is held. */
export function followTeardown({
  kube,
  namespace,
  watched,
  cache,
  clock,
  log,
  events,
  signal,
}: TeardownDeps): Teardown {
  const own = { name: OPERATOR_NAME, namespace };
  const further = (): string[] => watched.names().filter((name) => name !== namespace);
  const due = new AbortController();
  const fieldSelector = `metadata.name=${OPERATOR_NAME}`;
  const deployments = startInformer(kube, Deployments, { namespace, fieldSelector, clock, log, signal });
  deployments.onChange((_ref, current) => {
    if (current !== undefined && isDeleted(current)) due.abort(new Error("the operator is being deleted"));
  });
  return {
    due: due.signal,
    onChange: (listener) => {
      deployments.onChange(listener);
    },
    async reconcileFinalizer() {
      const deployment = deployments.get(own);
      if (deployment === undefined || isDeleted(deployment)) return settled;
      // copies may be late: that nothing is left is asked
      const isNeeded =
        HELD.some(({ applied }) => applied(cache).list().length > 0) ||
        (await someAreThere(kube, [namespace])) ||
        (await whereAllowed(someAreThere(kube, further()), false, log));
      const isHeld = (deployment.metadata.finalizers ?? []).includes(TEARDOWN_FINALIZER);
      if (isHeld !== isNeeded) await hold(kube, own, isNeeded);
      return settled;
    },
    async leave() {
      log.info("the operator is being deleted: clusters and databases are let go, their data stays where it is");
      for (const each of further()) await whereAllowed(leaveNamespace(kube, events, each), undefined, log);
      await leaveNamespace(kube, events, namespace);
      await events.flush();
      await hold(kube, own, false);
    },
  };
}

/** Rights in further namespaces are somebody else's to keep: one that is closed already must not hold the operator for ever. */
async function whereAllowed<T>(look: Promise<T>, otherwise: T, log: Log): Promise<T> {
  try {
    return await look;
  } catch (error) {
    if (!isFault(error, faults.forbidden)) throw error;
    log.warn("a further namespace is closed to the operator: what is there is not let go", {
      reason: messageOf(error),
    });
    return otherwise;
  }
}

async function leaveNamespace(kube: Kube, events: EventRecorder, namespace: string): Promise<void> {
  for (const { type, finalizer } of HELD) await removeFinalizers(kube, events, type, finalizer, namespace);
}

async function someAreThere(kube: Kube, namespaces: readonly string[]): Promise<boolean> {
  for (const namespace of namespaces) {
    for (const { type } of HELD) if ((await all(kube, type, namespace)).length > 0) return true;
  }
  return false;
}

/** The account is held first and let go last: without it nobody hears the operator any more. */
async function hold(kube: Kube, own: Required<Ref>, isHeld: boolean): Promise<void> {
  const metadata = { ...own, finalizers: isHeld ? [TEARDOWN_FINALIZER] : [] };
  const deployment: Wanted<Deployment> = { metadata };
  const account: Wanted<ServiceAccount> = { metadata };
  if (!isHeld) await kube.apply(Deployments, deployment, MANAGER);
  const stored = await kube.apply(ServiceAccounts, account, MANAGER);
  if (!isHeld) return;
  await keepLastRights(kube, stored);
  await kube.apply(Deployments, deployment, MANAGER);
}

/** Rights beside those of the bundle, which are deleted with it; they go with the account. */
async function keepLastRights(kube: Kube, account: Stored<ServiceAccount>): Promise<void> {
  const { namespace = "default" } = account.metadata;
  const metadata = {
    name: TEARDOWN_NAME,
    namespace,
    labels: { [LABELS.app]: APP_LABEL },
    ownerReferences: [ownerReference(account)],
  };
  const rules = TEARDOWN_RULES.map(({ apiGroups, resources, verbs }) => ({
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
  }));
  const role: Wanted<Role> = { metadata, rules };
  const binding: Wanted<RoleBinding> = {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: TEARDOWN_NAME },
    subjects: [{ kind: "ServiceAccount", name: account.metadata.name, namespace }],
  };
  await kube.apply(Roles, role, MANAGER);
  await kube.apply(RoleBindings, binding, MANAGER);
}

const KEPT =
  "the operator was deleted, and let this go without touching data: volumes, records and passwords stay; " +
  "the same objects under a new operator find them again";

async function removeFinalizers(
  kube: Kube,
  events: EventRecorder,
  type: ResourceType,
  finalizer: string,
  namespace: string,
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const held = (await all(kube, type, namespace)).filter(({ metadata }) => metadata.finalizers?.includes(finalizer));
    if (held.length === 0) return;
    for (const object of held) {
      if (!told.has(object.metadata.uid)) events.record(object, "Warning", "OperatorDeleted", KEPT);
      told.add(object.metadata.uid);
      await unlessChanged(removeFinalizer(kube, type, object, finalizer));
    }
  }
}

/** It is being deleted at this very moment, too: the next look sees what it has become. */
async function unlessChanged(change: Promise<void>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isFault(error, faults.conflict) && !isFault(error, faults.notFound)) throw error;
  }
}

/** A kind whose definition is gone already has nobody left. */
async function all<T>(kube: Kube, type: ResourceType<T>, namespace: string): Promise<readonly Stored<T>[]> {
  try {
    return (await kube.list(type, { namespace })).items;
  } catch (error) {
    if (isFault(error, faults.notFound)) return [];
    throw error;
  }
}

function isDeleted({ metadata }: Stored<object>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
