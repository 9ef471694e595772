import { stringify } from "yaml";
import { customResourceDefinitions } from "../api/crd.ts";
import { APP_LABEL, OPERATOR_NAME, PORTS, RELEASE_ANNOTATION } from "../api/names.ts";
import { admissionService } from "./admission.ts";
import { imagesOf } from "./images.ts";
import type { Release } from "./release.ts";
import { OPERATOR_RULES } from "./roles.ts";

/** The bundle file of a release (§4.1), as `kubectl apply -f` takes it: Role, binding, account, Service, CRDs, Deployment. */
export function bundleFor(release: Release): string {
  return bundleObjects(release).map(yaml).join("---\n");
}

/** One object as YAML that means the same to readers of YAML 1.1 and 1.2. */
export function yaml(object: object): string {
  return stringify(object, { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 0 });
}

interface BundleObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly [part: string]: unknown;
}

function bundleObjects(release: Release): readonly object[] {
  return [
    role(),
    roleBinding(),
    serviceAccount(),
    admissionService(),
    ...customResourceDefinitions(),
    deployment(release),
  ].map((object) => released(object, release));
}

/** With annotations of its own, an object is remembered alike by client-side and server-side apply. */
function released<T extends { readonly metadata: object }>(object: T, release: Release): T {
  const annotations = { [RELEASE_ANNOTATION]: release.operator };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const METADATA = { name: OPERATOR_NAME, labels: { app: APP_LABEL } };
const SELECTOR = { name: OPERATOR_NAME };

function role(): BundleObject {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: METADATA, rules: OPERATOR_RULES };
}

function roleBinding(): BundleObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: METADATA,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: OPERATOR_NAME },
    subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME }],
  };
}

function serviceAccount(): BundleObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: METADATA };
}

function deployment(release: Release): BundleObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: METADATA,
    spec: {
      replicas: 1,
      // two operators of different releases at work at once would be worse than a moment without one
      strategy: { type: "Recreate" },
      selector: { matchLabels: SELECTOR },
      template: {
        metadata: { labels: { app: APP_LABEL, ...SELECTOR } },
        spec: {
          serviceAccountName: OPERATOR_NAME,
          securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
          containers: [container(release)],
        },
      },
    },
  };
}

function container(release: Release): object {
  return {
    name: OPERATOR_NAME,
    image: imagesOf(release).operator,
    args: ["operator"],
    env: [
      fromField("WATCH_NAMESPACE", "metadata.namespace"),
      fromField("POD_NAME", "metadata.name"),
      fromField("POD_IP", "status.podIP"),
    ],
    ports: [
      { name: "metrics", containerPort: PORTS.metrics },
      { name: "admission", containerPort: PORTS.admission },
    ],
    livenessProbe: probe("/liveness", 10),
    readinessProbe: probe("/readiness", 2),
    resources: { requests: { cpu: "500m", memory: "256Mi" }, limits: { cpu: "4", memory: "512Mi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
}

/** With the version that servers fill in: else client-side and server-side apply would differ over it. */
function fromField(name: string, fieldPath: string): object {
  return { name, valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } } };
}

function probe(path: string, periodSeconds: number): object {
  return { httpGet: { path, port: PORTS.metrics }, periodSeconds, failureThreshold: 3 };
}
