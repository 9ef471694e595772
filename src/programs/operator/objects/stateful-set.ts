import { createHash } from "node:crypto";
import type { StatefulSet } from "kubernetes-types/apps/v1.js";
import type { Container, PodAntiAffinity, PodSpec, PodTemplateSpec, Volume } from "kubernetes-types/core/v1.js";
import { clusterNames, IN_SERVICE_GATE, NODE_CONTAINER, NODE_PATHS, NODE_UID, PORTS } from "../../../core/api/names.ts";
import type { Wanted } from "#kit/kube/kube";
import { TEMPLATE_ANNOTATION } from "../../../mechanisms/observe/kubernetes/workload.ts";
import { nodesOf } from "../../../core/planner/view/cluster-view.ts";
import { targetTag } from "../../../core/planner/view/target.ts";
import { installedList } from "../../../core/planner/modules/user-modules.ts";
import { dividedResources } from "../../../core/planner/node/node-containers.ts";
import { releaseByNodeTag } from "../../../core/releases/catalogue/find.ts";
import { imageOf, REPOSITORIES } from "../../../core/releases/catalogue/images.ts";
import { enginesContainer, enginesVolumes, STORAGE } from "./engines-container.ts";
import { labelsOf, ofUser, ownedMeta, selectorOf, type Owner } from "./meta.ts";
import { placementOf } from "./placement.ts";

/** Annotation of the node pods: hash of the user-defined modules that were installed when they were made. */
const USER_MODULES_ANNOTATION = "storeenterprise.io/user-modules";

/** The nodes of a cluster at the tag that it shall run, or at `nodeTag`; pods from ordinal `partition` on may be replaced. */
export function nodeStatefulSet(owner: Owner, partition: number, nodeTag = targetTag(owner.view)): Wanted<StatefulSet> {
  const { spec, name } = owner.view;
  const meta = ownedMeta(owner, name, "node");
  const template = nodeTemplate(owner, nodeTag);
  return {
    metadata: { ...meta, annotations: { [TEMPLATE_ANNOTATION]: hashOf(template) } },
    spec: {
      serviceName: clusterNames.nodeService(name),
      replicas: nodesOf(owner.view),
      // with OrderedReady a pod that is not ready would block its own replacement
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
      selector: { matchLabels: selectorOf(owner, "node") },
      template,
      ...(spec.persistentSpec.enabled ? { volumeClaimTemplates: [claim(owner)] } : {}),
    },
  };
}

/** Hash of the pod template that the cluster needs at the tag that it shall run. */
export function wantedTemplate(owner: Owner): string {
  return hashOf(nodeTemplate(owner, targetTag(owner.view)));
}

function hashOf(content: object): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}

function nodeTemplate(owner: Owner, nodeTag: string): PodTemplateSpec {
  const { spec, name } = owner.view;
  return {
    metadata: { labels: labelsOf(owner, "node"), ...annotationsOf(owner) },
    spec: {
      serviceAccountName: spec.serviceAccountName ?? name,
      terminationGracePeriodSeconds: spec.storeEnterpriseTerminationGracePeriodSeconds,
      readinessGates: [{ conditionType: IN_SERVICE_GATE }],
      securityContext: {
        runAsNonRoot: true,
        runAsUser: NODE_UID,
        fsGroup: NODE_UID,
        seccompProfile: { type: "RuntimeDefault" },
      },
      affinity: { podAntiAffinity: spec.podAntiAffinity ?? oneAWorker(owner) },
      ...placementOf(spec),
      ...containersAndVolumes(owner, nodeTag),
    },
  };
}

/** Nodes of a release whose engines run beside the agent have one container, as the operators of such releases write it. */
function containersAndVolumes(owner: Owner, nodeTag: string): Pick<PodSpec, "containers" | "volumes"> {
  const node = container(owner, nodeTag);
  if (releaseByNodeTag(nodeTag)?.engines !== "in-own-container") return { containers: [node], volumes: volumes(owner) };
  const { agent, engines } = dividedResources(owner.view.spec.storeEnterpriseNodeResources);
  const divided: Container = {
    ...node,
    env: [...(node.env ?? []), { name: "ENGINES_RUN", value: "in-own-container" }],
    resources: agent,
  };
  return {
    containers: [divided, enginesContainer(node, engines)],
    volumes: [...volumes(owner), ...enginesVolumes],
  };
}

/** A changed list of user-defined modules restarts the nodes, once its modules are installed (§2.2). */
function annotationsOf({ view: { spec, remembered } }: Owner): { annotations?: Record<string, string> } {
  const installed = installedList(spec, remembered.userModules ?? []);
  const annotations = {
    ...ofUser(spec.podAnnotations),
    ...(installed.length === 0 ? {} : { [USER_MODULES_ANNOTATION]: hashOf(installed) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** Two nodes on one worker would be lost together. */
function oneAWorker(owner: Owner): PodAntiAffinity {
  const labelSelector = { matchLabels: selectorOf(owner, "node") };
  return {
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: "kubernetes.io/hostname" }],
  };
}

function container({ view: { spec, name } }: Owner, nodeTag: string): Container {
  return {
    name: NODE_CONTAINER,
    image: imageOf(spec.storeEnterpriseImageSpec, REPOSITORIES.node, nodeTag),
    imagePullPolicy: spec.storeEnterpriseImageSpec?.imagePullPolicy ?? "IfNotPresent",
    args: ["agent"],
    env: [
      fromField("POD_NAME", "metadata.name"),
      fromField("POD_NAMESPACE", "metadata.namespace"),
      fromField("POD_IP", "status.podIP"),
      { name: "CLUSTER_NAME", value: name },
    ],
    ports: [{ name: "api", containerPort: PORTS.management }],
    readinessProbe: {
      httpGet: { scheme: "HTTPS", path: "/v1/bootstrap", port: PORTS.management },
      periodSeconds: 1,
      timeoutSeconds: 3,
      failureThreshold: 5,
    },
    resources: spec.storeEnterpriseNodeResources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: STORAGE, mountPath: NODE_PATHS.data },
      { name: "credentials", mountPath: NODE_PATHS.credentials, readOnly: true },
      { name: "tls", mountPath: NODE_PATHS.tls, readOnly: true },
    ],
  };
}

function volumes({ view: { spec, name } }: Owner): Volume[] {
  const credentials = spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(name);
  return [
    { name: "credentials", secret: { secretName: credentials } },
    { name: "tls", secret: { secretName: clusterNames.nodeTlsSecret(name) } },
    ...(spec.persistentSpec.enabled ? [] : [{ name: STORAGE, emptyDir: {} }]),
  ];
}

function claim(owner: Owner): { metadata: { name: string; labels: Record<string, string> }; spec: object } {
  const { storageClassName, volumeSize } = owner.view.spec.persistentSpec;
  // it never changes while the StatefulSet is there
  const storage = owner.view.workload?.volumes?.size ?? volumeSize;
  return {
    metadata: { name: STORAGE, labels: selectorOf(owner, "node") },
    spec: {
      accessModes: ["ReadWriteOnce"],
      ...(storageClassName === undefined ? {} : { storageClassName }),
      resources: { requests: { storage } },
    },
  };
}

function fromField(name: string, fieldPath: string): { name: string; valueFrom: { fieldRef: { fieldPath: string } } } {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
