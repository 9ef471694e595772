import { isNodeNumber } from "./node-number.ts";
import type { ClusterSpec } from "../../api/cluster-spec.ts";
import type { ClusterStatus } from "../../api/cluster-status.ts";
import type { DatabaseState, StoreVersion } from "../../api/records.ts";
import type { VersionModules } from "../../releases/engines/bundled-module.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import type { LicenseVerdict } from "../license/evaluate.ts";
import type { Platform } from "../../releases/permissions/permission.ts";
import type { Release } from "../../releases/catalogue/release.ts";
import type { EngineCrashes, EngineFailure } from "./engine-failure.ts";
import type { KeptRecord } from "../node/missing-record.ts";

/** Everything that a decision about a cluster rests on, as it was observed at one moment. */
export interface ClusterView {
  readonly name: string;
  readonly generation: number;
  readonly deleting: boolean;
  /** With every default filled in. */
  readonly spec: ClusterSpec;
  /** What the last pass wrote; empty at first. */
  readonly remembered: ClusterStatus;
  /** Release of the operator that decides. */
  readonly release: Release;
  /** Base system of the operator's image, for instance `rhel9`: the images of a release are made alike. Absent where it is not known. */
  readonly operatorBaseSystem?: string | undefined;
  /** What the engines of the operator's image bring: the images of a release are made alike. Absent where it is not known. */
  readonly operatorModules?: readonly VersionModules[] | undefined;
  /** Plain Kubernetes when absent. */
  readonly platform?: Platform;
  /** For instance "1.33"; undefined while the API server has not said. */
  readonly kubernetesMinor: string | undefined;
  /** The API has the group of OpenShift: its versions count, and not those of Kubernetes. */
  readonly isOpenShift?: boolean;
  /** The StatefulSet; undefined before it is made. */
  readonly workload: Workload | undefined;
  readonly pods: readonly NodePod[];
  /** Looked for while pods are missing; absent: none. */
  readonly namesakes?: readonly Namesake[];
  /** How long pods of the StatefulSet have been missing, in milliseconds; absent: none is, or it is not known. */
  readonly podsMissingMs?: number;
  readonly cluster: PolledCluster | Unreachable;
  /** The StoreEnterpriseDatabases that it has; read only for a cluster that is being deleted. */
  readonly databasesLeft: readonly DatabaseLeft[];
}

/** The object of a database that a cluster waits for. */
export interface DatabaseLeft {
  readonly name: string;
  /** It is being deleted already. */
  readonly deleting: boolean;
}

export interface Workload {
  /** Hash of the pod template that was last written. */
  readonly template: string;
  /** Reference of the node image in the pod template. */
  readonly image: string;
  readonly nodeTag: string;
  readonly replicas: number;
  readonly partition: number;
  readonly updateRevision: string;
  /** What pods below the partition are made again from: the update revision once its roll has ended. */
  readonly currentRevision: string;
  /** Changes with each change of its spec, by whomever. */
  readonly writing: string;
  /** How the StatefulSet was altered since its last writing; absent when it is as it was written, or when that is not known. */
  readonly alteration?: Alteration;
  /** The StatefulSet controller has seen what was last written. */
  readonly observed: boolean;
  /** Volumes of the nodes as the StatefulSet names them; undefined when nodes keep no data. */
  readonly volumes: { readonly size: string; readonly storageClassName: string | undefined } | undefined;
  /** `leaving`: it is being deleted. `lost`: its pods are there and it is not; the rest is then what they show. */
  readonly presence: "there" | "leaving" | "lost";
  /** Finalizers of others, which keep it while it is leaving; absent: none. */
  readonly finalizers?: readonly string[];
}

/** The spec of a StatefulSet is not certainly what the operator wrote. */
export type Alteration =
  /** This process has not written it yet. */
  | "unread"
  /** Another writer changed it. */
  | "edited";

export interface NodePod {
  readonly ordinal: number;
  /** uid of the object: another one for each pod of this ordinal. */
  readonly id: string;
  /** Milliseconds until it is due to be gone, negative when that has passed; absent while it is not being deleted. */
  readonly endsInMs?: number;
  readonly revision: string;
  /** Tag of the image that it is made from. What runs in it may be another one, see `runningTag`. */
  readonly nodeTag: string;
  /** Digest of the image that its kubelet reports to run, else the one that its image names; `sha256:` included, empty without one. */
  readonly digest: string;
  readonly deleting: boolean;
  /** Finalizers, which keep it after its end; absent: none. */
  readonly finalizers?: readonly string[];
  /** The node container passes its readiness probe. */
  readonly containerReady: boolean;
  /** The readiness gate is True. */
  readonly inService: boolean;
  /** Why the container does not run, for instance "ImagePullBackOff: …"; empty when it does. */
  readonly trouble: string;
  /** No worker takes the pod. */
  readonly unschedulable: boolean;
  /** It belongs to no StatefulSet. */
  readonly orphaned: boolean;
  /** Its account was deleted and made again after the pod was made, less than an hour ago: Kubernetes refuses the token of the pod. */
  readonly hasFormerAccount?: true;
}

/** A pod that has the name of a node and lacks the labels by which its StatefulSet knows it. */
export interface Namesake {
  readonly ordinal: number;
  /** It runs the container of a node: another writer took its labels. */
  readonly isNode: boolean;
}

/** What the management API says. */
export interface PolledCluster {
  readonly reachable: true;
  readonly nodes: readonly ClusterNode[];
  readonly databases: readonly ClusterDatabase[];
  readonly license: LicenseVerdict & { readonly expirationDate: string };
  /** Installed modules. */
  readonly modules: readonly ClusterModule[];
  /** Actions that are queued or running. */
  readonly actions: readonly { readonly name: string; readonly object: string }[];
}

export interface Unreachable {
  readonly reachable: false;
  readonly reason: string;
  /** `credentials`: a node refuses those of the cluster's secret. `caller`: the caller may not read that secret. */
  readonly cause?: "credentials" | "caller";
}

export interface ClusterNode {
  readonly uid: number;
  readonly active: boolean;
  readonly maintenance: boolean;
  readonly acceptsClients: boolean;
  readonly leader: boolean;
  /** Node tag of the release that the node itself reports. */
  readonly tag: string;
  /** Base system that it reports; absent of a node of release 0.1.0. */
  readonly baseSystem?: string | undefined;
  /** Its engines, by the database versions that they serve. */
  readonly engines: readonly NodeEngine[];
  /** Capabilities that nodes of older releases lack; empty for nodes of releases before 0.4.0. */
  readonly capabilities: readonly string[];
  /** Memory of its machine, in bytes. */
  readonly memoryBytes: number;
  /** Memory of its container; absent for a node of a release before 0.4.0. */
  readonly memory?: NodeMemory;
  /** Its volume, in bytes; absent until it was measured, and for a node of a release before 0.4.0. */
  readonly volume?: NodeVolume;
  /** Data on its volume that no record asks for. */
  readonly setAside: readonly SetAside[];
  /** What it keeps of records that have vanished; absent where it misses none, and for a node of a release before 0.5.0. */
  readonly keptRecords?: readonly KeptRecord[];
  /** Present when its volume is nearly full: the databases whose writes are refused therefore. */
  readonly fullVolume?: FullVolume;
}

/** Memory of the container of a node, in bytes. */
export interface NodeMemory {
  readonly limit: number;
  /** For its agent and its proxy. */
  readonly reserve: number;
  /** What its databases need at worst. */
  readonly needed: number;
}

/** In bytes. */
export interface NodeVolume {
  /** What databases may take, with what they have. */
  readonly room: number;
  /** What its databases may come to take. */
  readonly needed: number;
  /** Databases that take more than they may. */
  readonly over: readonly { readonly bdb: number; readonly bytes: number; readonly budget: number }[];
}

/** In bytes. */
export interface FullVolume {
  readonly total: number;
  readonly free: number;
  readonly databases: readonly { readonly bdb: number; readonly bytes: number }[];
}

export interface SetAside {
  readonly id: string;
  /** uid of the database that it is of. */
  readonly database: number;
  /** Name of that database; empty when it is not known. */
  readonly name: string;
  /** ISO instant. */
  readonly since: string;
  readonly bytes: number;
}

/** An engine of a node; its modules are absent where the node does not say, as one of release 0.1.0, and TLS before 0.4.0. */
export type NodeEngine = Pick<VersionModules, "storeVersion"> & Partial<VersionModules> & { readonly tls?: boolean };

export interface ClusterModule {
  readonly name: string;
  readonly displayName: string;
  readonly bundled: boolean;
  /** For instance "rhel9/x86_64"; none for one that runs everywhere. */
  readonly platforms: readonly string[];
  /** Database versions whose engines bring it; absent from one that was installed, and where nodes do not say. */
  readonly databaseVersions?: readonly StoreVersion[] | undefined;
  /** Database version that an installed build is for; absent from one that is bundled. */
  readonly compatible?: string | undefined;
}

export interface ClusterDatabase extends Pick<
  SettingValues,
  "memoryBytes" | "replication" | "persistence" | "upgradePolicy" | "tlsMode"
> {
  readonly uid: number;
  readonly name: string;
  readonly status: DatabaseState;
  readonly storeVersion: StoreVersion;
  /** Where an upgrade that is under way leads; absent while none is, and where the cluster does not say it. */
  readonly upgradesTo?: StoreVersion;
  /** Names of the modules that its engines have loaded. */
  readonly modules: readonly string[];
  /** The modules that the database asks for; the others are built into the engine. */
  readonly askedModules: readonly string[];
  /** It comes back only once a user agrees to what is gone. */
  readonly needsConsent: boolean;
  /** Why a change of it waits; empty when none does. */
  readonly waitingFor: string;
  readonly instances: readonly {
    readonly node: number;
    readonly primary: boolean;
    readonly inSync: boolean;
    /** Its engine has ended before it served, and does not serve. */
    readonly failing?: EngineFailure;
    /** Its engine has ended soon after it served. */
    readonly crashing?: EngineCrashes;
  }[];
}

/** How many nodes the cluster has or is about to have: a number that is refused asks for none. */
export function nodesOf({ spec, workload }: Pick<ClusterView, "spec" | "workload">): number {
  const has = workload?.replicas ?? 0;
  return has > 0 && !isNodeNumber(spec.nodes) ? has : Math.max(spec.nodes, has);
}

/** uid of the node of a pod. */
export function uidOf(pod: { readonly ordinal: number }): number {
  return pod.ordinal + 1;
}

/** The node of a pod as the cluster sees it; undefined while the cluster does not answer or know it. */
export function nodeOf(view: ClusterView, pod: { readonly ordinal: number }): ClusterNode | undefined {
  return view.cluster.reachable ? view.cluster.nodes.find(({ uid }) => uid === uidOf(pod)) : undefined;
}

/** Databases with an instance on node `uid` for which `claim` holds. */
export function databasesOn(
  view: ClusterView,
  uid: number,
  claim: (instance: ClusterDatabase["instances"][number]) => boolean,
): readonly ClusterDatabase[] {
  if (!view.cluster.reachable) return [];
  return view.cluster.databases.filter(({ instances }) =>
    instances.some((instance) => instance.node === uid && claim(instance)),
  );
}
