import type { Role } from "kubernetes-types/rbac/v1.js";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import { MOST_PASSED_OVER } from "../../../core/api/secrets-ahead.ts";
import {
  findsSecrets,
  isOfNodes,
  mayNameSecrets,
  nodeSecrets,
  secretsAhead,
} from "../../../core/planner/cluster/node-secrets.ts";
import { Roles } from "#kit/kube/builtin";
import type { Informer } from "#kit/kube/informer";
import type { Stored } from "#kit/kube/kube";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { AppliedKind } from "#kit/reconcile/object-applier";
import { NEW_STATE, secretState } from "../secrets/counters.ts";

/** Which Secrets the nodes of a cluster may use. */
export interface OwnSecrets {
  /** Resolves when the Secrets of clusters are known. */
  readonly synced: Promise<unknown>;
  of(observation: Pick<ClusterObservation, "namespace" | "rec" | "view">): NodeSecrets;
}

/** The Secrets of the nodes of a cluster, and who makes them. */
export interface NodeSecrets {
  /** Their names; undefined: every Secret of the namespace, as nodes of older releases need it. */
  readonly names: readonly string[] | undefined;
  /** Some members are nodes of older releases, which make their own Secrets. */
  readonly hasOlderNodes: boolean;
  /** Names of the Secrets that the operator makes before nodes need them, the lowest numbers first; none while nodes make their own. */
  readonly ahead: readonly string[];
  /** The names in `ahead` that others have taken. */
  readonly taken: readonly string[];
  /** Names of Secrets that nodes skipped without filling them, once these are so many that no more are made. */
  readonly passedOver: readonly string[];
}

/** Finds the Secrets of nodes in what is watched of a namespace. */
export function ownSecretsIn({ records, secrets }: InformerCache, applied: readonly AppliedKind[]): OwnSecrets {
  const roles = applied.find(({ type }) => type === Roles)?.cache as Informer<Role> | undefined;
  const synced = Promise.all([records.synced, secrets.synced, roles?.synced]);
  synced.catch(() => undefined); // ended before
  return {
    synced,
    of({ namespace, rec, view }) {
      const { name, cluster } = view;
      const role = roles?.get({ name, namespace });
      const granted = namesIn(role);
      const { held, hasOlderNodes } = rightsOf(role, view);
      if (!mayNameSecrets(cluster, held)) return { names: undefined, hasOlderNodes, ...NONE_AHEAD };
      const stored = records.get({ name: clusterNames.clusterRecord(name), namespace });
      // a record that is there and cannot be read says nothing: no Secret is made, and the rights of nodes stay
      const state = stored === undefined ? NEW_STATE : secretState(stored);
      const isOurs = (object: Stored<object>): boolean => isMarked(object, name, rec);
      const namesOf = (informer: Informer<object>, claim = isOurs) => namesThat(informer, namespace, claim);
      const foreign = namesOf(secrets, (one) => !isOurs(one));
      const wanted = nodeSecrets({
        ...(state ?? NEW_STATE),
        cluster: name,
        databases: namesOf(records).flatMap((record) => uidIn(name, record)),
        users: (state?.users ?? []).map(({ secret }) => secret),
        there: namesOf(secrets),
        foreign,
      });
      // a node of an older release makes its Secrets itself, and fails when one is there
      const ahead = hasOlderNodes || state === undefined ? [] : secretsAhead(name, state);
      const kept = stored === undefined || state === undefined ? granted : undefined;
      const names = kept?.filter((one) => !foreign.includes(one)) ?? wanted;
      const unfilled = namesOf(secrets, (one) => isUnfilled(one, name, rec));
      return { names, hasOlderNodes, ...madeAhead(ahead, foreign, unfilled) };
    },
  };
}

const NONE_AHEAD = { ahead: [], taken: [], passedOver: [] } as const;

function namesThat(
  informer: Informer<object>,
  namespace: string,
  claim: (object: Stored<object>) => boolean,
): readonly string[] {
  return informer
    .list()
    .filter((object) => object.metadata.namespace === namespace && claim(object))
    .map(({ metadata }) => metadata.name);
}

/** The Secrets to make ahead; none when nodes have left too many earlier ones unused. */
function madeAhead(
  ahead: readonly string[],
  foreign: readonly string[],
  unfilled: readonly string[],
): Pick<NodeSecrets, "ahead" | "taken" | "passedOver"> {
  const taken = ahead.filter((one) => foreign.includes(one));
  const passedOver = unfilled.filter((one) => !ahead.includes(one));
  return passedOver.length < MOST_PASSED_OVER ? { ahead, taken, passedOver: [] } : { ahead: [], taken, passedOver };
}

/** What the Role of the nodes lets them use, and whether they make theirs. */
function rightsOf(role: Stored<Role> | undefined, view: ClusterObservation["view"]) {
  const granted = namesIn(role);
  const isUnknown = granted === undefined && !isOfThisRelease(view) && !holds(role, "get");
  // a Role that was emptied or taken away says nothing of what nodes need that were made with it
  const held = granted !== undefined ? "names" : isUnknown || holds(role, "get") ? "all" : "none";
  const hasOlderNodes = !findsSecrets(view.cluster, isUnknown || holds(role, "create") ? "makes" : "finds");
  return { held, hasOlderNodes } as const;
}

/** The label of the cluster, and no owner but it: what nodes have filled has none. */
function isMarked({ metadata }: Stored<object>, cluster: string, rec: Stored<object>): boolean {
  const { labels = {}, ownerReferences = [] } = metadata;
  return labels[LABELS.cluster] === cluster && ownerReferences.every(({ uid }) => uid === rec.metadata.uid);
}

/** One that was made ahead: what nodes have filled has no owner. */
function isUnfilled(secret: Stored<object>, cluster: string, rec: Stored<object>): boolean {
  const { name, ownerReferences = [] } = secret.metadata;
  return isOfNodes(cluster, name) && isMarked(secret, cluster, rec) && ownerReferences.length > 0;
}

/** Whether all nodes that there are, if any, were made from the images of this operator's release. */
function isOfThisRelease({ workload, pods, release }: ClusterObservation["view"]): boolean {
  return [...(workload === undefined ? [] : [workload]), ...pods].every(({ nodeTag }) => nodeTag === release.nodeTag);
}

/** Whether a Role has a verb for Secrets of every name. */
function holds(role: Pick<Role, "rules"> | undefined, verb: "get" | "create"): boolean {
  return (role?.rules ?? []).some(
    ({ resources = [], resourceNames, verbs }) =>
      resources.includes("secrets") && resourceNames === undefined && verbs.includes(verb),
  );
}

/** The names that the Role of the nodes has now; undefined while they may use every Secret, or none. */
function namesIn(role: Pick<Role, "rules"> | undefined): readonly string[] | undefined {
  return role?.rules?.find(({ resources, resourceNames }) => resources?.includes("secrets") && resourceNames)
    ?.resourceNames;
}

function uidIn(cluster: string, name: string): readonly number[] {
  const uid = Number(name.slice(clusterNames.databaseRecord(cluster, 0).length - 1));
  return Number.isInteger(uid) && name === clusterNames.databaseRecord(cluster, uid) ? [uid] : [];
}
