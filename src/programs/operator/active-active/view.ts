import { activeActiveSpec, type ActiveActiveSpec } from "../../../core/api/active-active.ts";
import type { StoreEnterpriseActiveActiveDatabase } from "../../../core/api/kinds.ts";
import { AGREED_ANNOTATION, SITE_ANNOTATION, UPGRADE_NOW_ANNOTATION } from "../../../core/api/names.ts";
import type { Finding } from "../../../core/api/parts.ts";
import { controllerOf } from "#kit/kube/ref";
import type { Ref, Stored } from "#kit/kube/kube";
import { existingOf, referencesIn } from "../../../mechanisms/observe/kubernetes/references.ts";
import { knowsLinks, knowsSlices, type SiteState, type SiteRecords } from "../../../mechanisms/observe/sites/sites.ts";
import { ACTIVE_ACTIVE_RULES } from "../../../core/planner/admission/active-active.ts";
import { wait } from "../../../core/planner/findings/finding.ts";
import { ruleFindings } from "../../../core/planner/admission/objection.ts";
import type { ActiveActiveObject, ActiveActiveView } from "../../../core/planner/active-active/decide.ts";
import type { LinkFacts } from "../../../core/planner/active-active/replication.ts";
import type { SiteDatabase } from "../../../core/planner/active-active/turn.ts";
import { liveRecord } from "../../../core/planner/active-active/record.ts";
import type { Participant } from "../../../core/planner/active-active/participants.ts";
import type { Release } from "../../../core/releases/catalogue/release.ts";
import type { Redb } from "../database/cluster.ts";
import {
  readParticipant,
  isOwn,
  participantWord,
  type RemoteReadDeps,
  type Rerc,
} from "../remote-cluster/participant.ts";
import { objectsIn } from "../remote-cluster/objects.ts";
import { getObjects } from "../../../core/api/kubectl.ts";

export interface ObserveActiveActiveDeps extends RemoteReadDeps {
  readonly release: Release;
}

/** A StoreEnterpriseActiveActiveDatabase as it is stored. */
export type Reaadb = Stored<StoreEnterpriseActiveActiveDatabase>;

/**
 * The remote cluster that stands for the own cluster: the cluster `home` that has the database, when that is known; the one that
 * takes part when several do.
 */
export function ownRemote(
  { cache }: RemoteReadDeps,
  reaadb: Reaadb | undefined,
  namespace: string,
  home: string | undefined,
): Rerc | undefined {
  const own = objectsIn(cache, namespace).remoteClusters.filter(
    (rerc) => isOwn(cache, rerc) && (home === undefined || rerc.spec.recName === home),
  );
  const names = reaadb?.spec.participatingClusters.map(({ name }) => name) ?? [];
  return own.find(({ metadata }) => names.includes(metadata.name)) ?? own[0];
}

/** What a pass over an Active-Active database knows. */
export interface ActiveActiveObservation {
  readonly view: ActiveActiveView;
  /** What each participant said, by name. */
  readonly polled: ReadonlyMap<string, SiteState>;
  readonly database: Redb | undefined;
}

/** What a pass begins with: the object, if there is one, and the cluster of this participant as it just answered. */
export interface Beginning {
  readonly key: Required<Ref>;
  readonly reaadb: Reaadb | undefined;
  /** Undefined when the spec cannot be read. */
  readonly spec: ActiveActiveSpec | undefined;
  readonly self: Rerc | undefined;
  readonly cluster: string;
  readonly own: SiteRecords;
  /** What the own cluster says of its link; undefined while it does not answer. */
  readonly link: LinkFacts | undefined;
}

/** Gathers everything that a decision rests on; what others say may be `maxAgeMs` old. */
export async function observeActiveActive(
  deps: ObserveActiveActiveDeps,
  beginning: Beginning,
  maxAgeMs: number,
): Promise<ActiveActiveObservation> {
  const { key, reaadb, spec, self, cluster, own, link } = beginning;
  const objects = objectsIn(deps.cache, key.namespace);
  const polled = new Map<string, SiteState>();
  await Promise.all(
    objects.remoteClusters.map(async (rerc) => {
      const isSelf = rerc.metadata.name === self?.metadata.name;
      polled.set(rerc.metadata.name, isSelf ? { answer: own } : await readParticipant(deps, rerc, maxAgeMs));
    }),
  );
  const database = linkedDatabase(deps, reaadb, key);
  const object = reaadb && spec && objectOf(reaadb, spec);
  const others = [...polled]
    .filter(([name]) => name !== self?.metadata.name)
    .flatMap(([, { answer }]) => recordsIn(answer));
  const view: ActiveActiveView = {
    name: key.name,
    release: deps.release,
    cluster,
    clusterPolicy: objects.clusters.find(({ metadata }) => metadata.name === cluster)?.spec.storeUpgradePolicy,
    knowsLinks: knowsLinks(own),
    self: self?.metadata.name,
    object,
    own: own.crdbs,
    others,
    participants: (spec?.participatingClusters ?? []).map(({ name }) => participant(key, name, polled.get(name))),
    siteDatabases: (spec?.participatingClusters ?? []).flatMap(({ name }) => siteDatabase(key, name, polled.get(name))),
    link,
    database: database && { spec: { ...database.spec }, site: database.metadata.annotations?.[SITE_ANNOTATION] },
    objections: spec === undefined ? [] : objectionsTo(deps, key, spec, database),
  };
  return { view, polled, database };
}

/** The spec with every default filled in; a sentence that names the field when it is not one. */
export function readActiveActiveSpec({ spec }: Reaadb): ActiveActiveSpec | string {
  const parsed = activeActiveSpec.safeParse(spec);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `spec.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not acceptable"}`;
}

function objectOf({ metadata, status }: Reaadb, spec: ActiveActiveSpec): ActiveActiveObject {
  return {
    uid: metadata.uid,
    spec,
    isDeleted: metadata.deletionTimestamp !== undefined,
    agreed: metadata.annotations?.[AGREED_ANNOTATION],
    guid: status?.guid,
    upgradeNow: metadata.annotations?.[UPGRADE_NOW_ANNOTATION],
  };
}

/** The database that was made for it; a database that only shares its name is not. */
export function linkedDatabase({ cache }: RemoteReadDeps, reaadb: Reaadb | undefined, key: Ref): Redb | undefined {
  const found = cache.databases.get(key);
  const owner = found && controllerOf(found)?.uid;
  return owner !== undefined && owner === reaadb?.metadata.uid ? found : undefined;
}

function recordsIn(answer: SiteState["answer"]): SiteRecords["crdbs"] {
  return "evidence" in answer ? [] : answer.crdbs;
}

function participant({ name: database }: Ref, name: string, polled: SiteState | undefined): Participant {
  if (polled !== undefined) {
    const record = liveRecord(recordsIn(polled.answer), database);
    const isOut = record?.participants.every((one) => one.name !== name) === true;
    return {
      name,
      word: participantWord(polled),
      knowsSlices: knowsSlices(polled.answer),
      ...(isOut ? { formerly: database } : {}),
    };
  }
  const evidence = `there is no StoreEnterpriseRemoteCluster "${name}"`;
  const remedy = `make it: ${getObjects("rerc")} shows those that there are`;
  return {
    name,
    knowsSlices: false,
    word: { answers: false, finding: wait("RemoteClusterMissing", evidence, remedy) },
  };
}

/** The database is named as its object is on every participant. */
function siteDatabase({ name: database }: Ref, name: string, polled: SiteState | undefined): readonly SiteDatabase[] {
  if (polled === undefined || "evidence" in polled.answer) return [];
  const bdb = polled.answer.bdbs.find((one) => one.name === database);
  return bdb === undefined ? [] : [{ name, version: bdb.redis_version, isLinked: bdb.active_active !== undefined }];
}

function objectionsTo(
  { cache, release }: ObserveActiveActiveDeps,
  { name, namespace }: Required<Ref>,
  spec: ActiveActiveSpec,
  database: Redb | undefined,
): readonly Finding[] {
  const environment = referencesIn(objectsIn(cache, namespace), release, { kind: "activeActives", name });
  const databases =
    database === undefined ? environment.databases : environment.databases.filter((one) => one.name !== name);
  const existing = existingOf(database?.status);
  const isThere = database !== undefined && existing === undefined;
  const facts = { name, spec, before: undefined, references: { ...environment, databases } };
  // a database that is being made has taken its shards of the licence, and its name
  const known = isThere
    ? { port: undefined, storeVersion: undefined, shards: undefined, cluster: undefined }
    : existing;
  return ruleFindings(ACTIVE_ACTIVE_RULES, { ...facts, existing: known }, `reaadb ${facts.name}`);
}
