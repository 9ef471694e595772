import type { MissingPermission } from "../../releases/permissions/roles.ts";
import type { GrowthRefusal } from "../view/volume-growth.ts";

/**
 * A fact that was asked for, or the reason why it could not be read. `isOptional`: the caller lacks the permission to read it and does not need
 * it; other callers check the fact.
 */
export type Reading<T> =
  | { readonly read: true; readonly value: T }
  | { readonly read: false; readonly why: string; readonly isOptional?: true };

/** What lies around a cluster and is read where the caller may; a part that a caller does not ask for is absent. */
export interface ClusterEnvironment {
  /** What the operator, nodes and rigger may not do. */
  readonly permissions?: Reading<readonly MissingPermission[]>;
  readonly workers?: Reading<readonly Worker[]>;
  readonly volumes?: Reading<readonly Volume[]>;
  readonly networkPolicies?: Reading<readonly PortRule[]>;
  readonly definitions?: Reading<readonly Definition[]>;
  readonly webhook?: Reading<WebhookFacts>;
  readonly operator?: Reading<OperatorFacts>;
  readonly desiredDatabases?: Reading<readonly DesiredDatabase[]>;
  /** The moment of the look, as a timestamp. */
  readonly now?: Reading<string>;
  /** The security context constraint of old releases (§2.1); its value is undefined where there is none. */
  readonly constraint?: Reading<ConstraintFacts | undefined>;
}

/** Who is bound to the security context constraint of old releases. */
export interface ConstraintFacts {
  /** Users of the constraint itself that are accounts of the cluster's namespace, and all others. */
  readonly accounts: readonly string[];
  readonly others: readonly string[];
  /** RoleBindings of the cluster's namespace that give it. */
  readonly bindings: readonly string[];
}

/** A machine of Kubernetes. */
export interface Worker {
  readonly name: string;
  readonly ready: boolean;
  readonly cordoned: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Taints that keep pods off it. */
  readonly taints: readonly Taint[];
  /** It keeps to the anti-affinity of pods; the local world's one worker does not. */
  readonly spreads: boolean;
  /** Names of the cluster's node pods on it. */
  readonly pods: readonly string[];
}

export interface Taint {
  readonly key: string;
  readonly value: string;
}

/** A PersistentVolumeClaim of a node. */
export interface Volume {
  readonly name: string;
  /** Bound, Pending or Lost. */
  readonly phase: string;
  readonly resizing: boolean;
  /** Sizes as they are written; the capacity is empty until it is bound. */
  readonly requested: string;
  readonly capacity: string;
  /** Why it does not get larger although it was asked to, as its driver says; empty when nothing is wrong. */
  readonly problem: string;
  /** Why Kubernetes would not let it grow to the size of the spec; undefined when it would, or was not asked. */
  readonly refusal: GrowthRefusal | undefined;
}

/** What a NetworkPolicy that selects the node pods lets in; `ports` is undefined when it lets every port in. */
export interface PortRule {
  readonly policy: string;
  readonly ports: readonly { readonly first: number; readonly last: number }[] | undefined;
}

/** One of our CustomResourceDefinitions as it is installed. */
export interface Definition {
  readonly name: string;
  /** The release that it is marked with. */
  readonly release: string | undefined;
  readonly served: readonly string[];
  readonly stored: readonly string[];
  readonly keepsUnknownFields: boolean;
}

/** The admission webhook (§2.1) as it is installed. */
export interface WebhookFacts {
  /** Of the operator, and of its Service. */
  readonly namespace: string;
  /** The configurations that are for this operator or carry the old name. */
  readonly configurations: readonly WebhookConfiguration[];
  /** `cert` of the secret `admission-tls`, PEM; undefined when the secret is not there. */
  readonly certificate: string | undefined;
  readonly route: AdmissionRoute;
}

/** A configuration of a webhook. */
export interface WebhookConfiguration {
  readonly name: string;
  /** The name of its entry about the objects of users. */
  readonly entry: string;
  /** PEM, several while one rotates. */
  readonly caBundle: string;
  /** Where the API server asks; empty where it asks nothing. */
  readonly calls: string;
  /** A write is refused while it gets no answer. */
  readonly isRefusing: boolean;
}

/** The way from the API server to the webhook. */
export interface AdmissionRoute {
  /** Ready addresses behind the Service, at the port where the webhook answers. */
  readonly endpoints: number;
  /** Why there are none, with what the Service has; empty where there are some. */
  readonly closed: string;
  /** What it lacks: the Service, a Service that leads to the operator, or ready pods of the operator behind it. */
  readonly lacks: "service" | "lead" | "pods" | "nothing";
}

/** The operator's Deployment. */
export interface OperatorFacts {
  readonly image: string;
  readonly ready: number;
  readonly wanted: number;
  /** It is being deleted, alone or with its namespace: no pod of it is made any more. */
  readonly leaving?: true;
  /** It is paused, and no pod of another template is made. `behind`: its template has changed since. */
  readonly paused?: "behind" | "current";
}

/** What a StoreEnterpriseDatabase asks for, beside what its database is. */
export interface DesiredDatabase {
  readonly name: string;
  readonly storeVersion: string | undefined;
  /** Why its spec cannot be acted on; empty when it can. */
  readonly objection: string;
}
