import { stringify } from "yaml";
import { customResourceDefinitions } from "../../api/crd.ts";
import { APP_LABEL, OPERATOR_CONFIG, OPERATOR_NAME, RELEASE_ANNOTATION, WATCHED_NAMESPACES } from "../../api/names.ts";
import { admissionService, operatorNetworkPolicy } from "./admission.ts";
import type { Platform } from "../permissions/permission.ts";
import { operatorDeployment, type OperatorImage } from "./operator-deployment.ts";
import type { Release } from "../catalogue/release.ts";
import { operatorRules } from "../permissions/roles.ts";

/** What a bundle may be asked for beside its release. */
export interface BundleOptions {
  /** Plain Kubernetes (bundle.yaml) unless it is OpenShift (distro.bundle.yaml). */
  readonly variant?: Platform;
  /** The namespace of the operator, and the others that it manages; without it the operator manages its own. */
  readonly namespaces?: { readonly own: string; readonly watched: readonly string[] };
  /** Where the image of the operator comes from, if not from where it is published (§4.3 rule 3). */
  readonly image?: OperatorImage;
  /** One when absent. */
  readonly replicas?: number;
}

/** One object of a bundle. */
export interface BundleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [part: string]: unknown };
  readonly [part: string]: unknown;
}

/** The bundle file of a release (§4.1), as `kubectl apply -f` takes it: Role, binding, account, Service, CRDs, Deployment. */
export function bundleFor(release: Release, options: BundleOptions = {}): string {
  return bundleObjects(release, options).map(yaml).join("---\n");
}

/** One object as YAML that means the same to readers of YAML 1.1 and 1.2. */
export function yaml(object: object): string {
  return stringify(object, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 0 });
}

/** The objects of the bundle file, in its order; on OpenShift the account stands before its binding. */
function bundleObjects(release: Release, options: BundleOptions = {}): readonly BundleObject[] {
  const { variant = "kubernetes", namespaces } = options;
  const access =
    variant === "openshift"
      ? [operatorRole(variant), serviceAccount(), operatorBinding()]
      : [operatorRole(variant), operatorBinding(), serviceAccount()];
  return [
    ...access,
    admissionService(),
    operatorNetworkPolicy(),
    ...definitionsOf(release),
    ...(namespaces === undefined ? [] : [watchConfig(namespaces.watched)]),
    operatorDeployment(release, variant, options.image, options.replicas),
    ...(namespaces === undefined
      ? []
      : namespaces.watched.flatMap((watched) => watchGrants(namespaces.own, watched, variant))),
  ].map((object) => withRelease(object, release));
}

/** The definitions of our kinds, marked with the release that they come with. */
export function definitionsOf(release: Release) {
  return customResourceDefinitions().map((definition) => withRelease(definition, release));
}

/** The file that lets the operator in `own` manage `watched`: the Role and its binding, once more (§4.3 rule 7). */
export function watchedNamespaceFor(
  release: Release,
  {
    own,
    watched,
    variant = "kubernetes",
  }: { readonly own: string; readonly watched: string; readonly variant?: Platform },
): string {
  return watchGrants(own, watched, variant)
    .map((object) => yaml(withRelease(object, release)))
    .join("---\n");
}

/** With annotations of its own, an object is remembered alike by client-side and server-side apply. */
export function withRelease<T extends { readonly metadata: object }>(object: T, release: Release) {
  const annotations = { [RELEASE_ANNOTATION]: release.operator };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const METADATA = { name: OPERATOR_NAME, labels: { app: APP_LABEL } };

/** What the operator may do in its own namespace. */
export function operatorRole(variant: Platform): BundleObject {
  const rules = operatorRules(variant);
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: METADATA, rules };
}

/** Binds the Role to the account; `own` is the namespace of the account when that is another. */
export function operatorBinding(own?: string): BundleObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: METADATA,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: OPERATOR_NAME },
    subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME, ...(own === undefined ? {} : { namespace: own }) }],
  };
}

/** The account of the operator. */
export function serviceAccount(): BundleObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: METADATA };
}

/** The Role of the operator in `own`, and its binding, for the namespace `watched`. */
export function watchGrants(own: string, watched: string, variant: Platform): readonly BundleObject[] {
  return [operatorRole(variant), operatorBinding(own)].map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: watched },
  }));
}

function watchConfig(watched: readonly string[]): BundleObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: OPERATOR_CONFIG, labels: { app: APP_LABEL } },
    data: { [WATCHED_NAMESPACES]: watched.join(",") },
  };
}
