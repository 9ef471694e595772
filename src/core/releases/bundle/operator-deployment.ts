import { APP_LABEL, OPERATOR_NAME, PORTS } from "../../api/names.ts";
import type { ImageSpec } from "../../api/parts.ts";
import { LEAVE_SOON } from "./eviction.ts";
import { imagesOf, imageTagOf } from "../catalogue/images.ts";
import type { Platform } from "../permissions/permission.ts";
import type { Release } from "../catalogue/release.ts";

/** Where the image of the operator comes from; its tag is the release's own. */
export interface OperatorImage {
  /** Without a tag, for instance "registry.example.com/store/operator". */
  readonly repository?: string;
  readonly pullPolicy?: ImageSpec["imagePullPolicy"];
  /** Names of secrets in the namespace of the operator. */
  readonly pullSecrets?: readonly string[];
}

const METADATA = { name: OPERATOR_NAME, labels: { app: APP_LABEL } };
const SELECTOR = { name: OPERATOR_NAME };

/** Memory that the operator may take, and how much of it for what JavaScript holds, in MiB. */
const LIMIT_MIB = 512;
const HEAP_MIB = 384;

/** How Node runs the operator: left to itself it clears away so late that twice the memory is taken. */
export const OPERATOR_NODE_OPTIONS = `--max-semi-space-size=4 --max-old-space-size=${HEAP_MIB}`;

/** The Deployment of the operator. */
export function operatorDeployment(release: Release, platform: Platform, image: OperatorImage = {}, replicas = 1) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: METADATA,
    spec: {
      replicas,
      // two operators of different releases at work at once would be worse than a moment without one
      strategy: { type: "Recreate" },
      selector: { matchLabels: SELECTOR },
      template: {
        metadata: { labels: { app: APP_LABEL, ...SELECTOR } },
        spec: {
          serviceAccountName: OPERATOR_NAME,
          tolerations: LEAVE_SOON,
          securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
          ...(image.pullSecrets === undefined ? {} : { imagePullSecrets: image.pullSecrets.map((name) => ({ name })) }),
          containers: [container(release, platform, image)],
        },
      },
    },
  };
}

function container(release: Release, platform: Platform, image: OperatorImage): object {
  const published = imagesOf(release).operator;
  return {
    name: OPERATOR_NAME,
    image: image.repository === undefined ? published : `${image.repository}:${imageTagOf(published)}`,
    ...(image.pullPolicy === undefined ? {} : { imagePullPolicy: image.pullPolicy }),
    args: ["operator"],
    env: [
      fromField("WATCH_NAMESPACE", "metadata.namespace"),
      fromField("POD_NAME", "metadata.name"),
      fromField("POD_IP", "status.podIP"),
      ...(platform === "openshift" ? [{ name: "IS_OPENSHIFT", value: "true" }] : []),
      { name: "NODE_OPTIONS", value: OPERATOR_NODE_OPTIONS },
    ],
    ports: [
      { name: "metrics", containerPort: PORTS.metrics },
      { name: "admission", containerPort: PORTS.admission },
    ],
    // a busy operator is slow, and a restart makes it slower: only one that gives no answer for a minute is dead
    livenessProbe: probe("/liveness", { timeoutSeconds: 10, periodSeconds: 10, failureThreshold: 6 }),
    readinessProbe: probe("/readiness", { periodSeconds: 2, failureThreshold: 3 }),
    resources: { requests: { cpu: "500m", memory: "256Mi" }, limits: { cpu: "4", memory: `${LIMIT_MIB}Mi` } },
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

function probe(path: string, limits: object): object {
  return { httpGet: { path, port: PORTS.metrics }, ...limits };
}
