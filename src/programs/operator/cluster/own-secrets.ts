import type { Role } from "kubernetes-types/rbac/v1.js";
import { z } from "zod";
import { clusterNames, LABELS } from "../../../core/api/names.ts";
import { mayNameSecrets, nodeSecrets } from "../../../core/planner/cluster/node-secrets.ts";
import { Roles } from "../../../ports/kube/builtin.ts";
import type { Informer } from "../../../ports/kube/informer.ts";
import type { Stored } from "../../../ports/kube/kube.ts";
import type { ClusterObservation } from "../../../mechanisms/observe/cluster.ts";
import type { InformerCache } from "../../../mechanisms/observe/kubernetes/informer-cache.ts";
import type { AppliedKind } from "../../../mechanisms/reconcile/object-applier.ts";

/** Which Secrets the nodes of a cluster may use. */
export interface OwnSecrets {
  /** Before that, nothing is known of any cluster. */
  readonly synced: Promise<unknown>;
  /** Their names; undefined: every Secret of the namespace, as nodes of older releases need it. */
  of(observation: Pick<ClusterObservation, "namespace" | "rec" | "view">): readonly string[] | undefined;
}

/** What is read of the record of a cluster here; the leader checks the rest. */
const record = z.object({
  nextDatabase: z.int().positive(),
  nextUserSecret: z.int().positive().default(1),
  users: z.array(z.object({ secret: z.string() })).default([]),
});

/** Of a cluster that has not written its record yet. */
const NEW_STATE: z.output<typeof record> = { nextDatabase: 1, nextUserSecret: 1, users: [] };

/** Finds the names by what is followed of a namespace. */
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
      // a Role that was emptied or taken away says nothing of what nodes need that were made with it
      const held = granted !== undefined ? "names" : isOfThisRelease(view) && !holdsAll(role) ? "none" : "all";
      if (!mayNameSecrets(cluster, held)) return undefined;
      const recorded = stateIn(records, { name: clusterNames.clusterRecord(name), namespace });
      if (recorded === undefined && granted !== undefined) return granted;
      const state = recorded ?? NEW_STATE;
      const namesOf = (informer: Informer<object>, isOurs: boolean) =>
        informer
          .list()
          .filter((object) => object.metadata.namespace === namespace && isMarked(object, name, rec) === isOurs)
          .map(({ metadata }) => metadata.name);
      return nodeSecrets({
        cluster: name,
        databases: namesOf(records, true).flatMap((record) => uidIn(name, record)),
        nextDatabase: state.nextDatabase,
        users: state.users.map(({ secret }) => secret),
        nextUserSecret: state.nextUserSecret,
        there: namesOf(secrets, true),
        foreign: namesOf(secrets, false),
      });
    },
  };
}

/** The label of the cluster, and no owner but it: what nodes make has none. */
function isMarked({ metadata }: Stored<object>, cluster: string, rec: Stored<object>): boolean {
  const { labels = {}, ownerReferences = [] } = metadata;
  return labels[LABELS.cluster] === cluster && ownerReferences.every(({ uid }) => uid === rec.metadata.uid);
}

/** Whether all nodes that there are, if any, were made from the images of this operator's release. */
function isOfThisRelease({ workload, pods, operator }: ClusterObservation["view"]): boolean {
  return [...(workload === undefined ? [] : [workload]), ...pods].every(
    ({ imageTag }) => imageTag === operator.nodeTag,
  );
}

function holdsAll(role: Pick<Role, "rules"> | undefined): boolean {
  return (role?.rules ?? []).some(
    ({ resources = [], resourceNames, verbs }) =>
      resources.includes("secrets") && resourceNames === undefined && verbs.includes("get"),
  );
}

/** The names that the Role of the nodes has now; undefined while they may use every Secret, or none. */
function namesIn(role: Pick<Role, "rules"> | undefined): readonly string[] | undefined {
  return role?.rules?.find(({ resources, resourceNames }) => resources?.includes("secrets") && resourceNames)
    ?.resourceNames;
}

/** Undefined when there is none, or it cannot be read. */
function stateIn(
  records: InformerCache["records"],
  ref: { readonly name: string; readonly namespace: string },
): z.output<typeof record> | undefined {
  const text = records.get(ref)?.data?.["record"];
  if (text === undefined) return undefined;
  try {
    return record.safeParse(JSON.parse(text)).data;
  } catch {
    // the nodes report a record that is not JSON, and go on with the one before
    return undefined;
  }
}

function uidIn(cluster: string, name: string): readonly number[] {
  const uid = Number(name.slice(clusterNames.databaseRecord(cluster, 0).length - 1));
  return Number.isInteger(uid) && name === clusterNames.databaseRecord(cluster, uid) ? [uid] : [];
}
