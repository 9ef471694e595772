import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { Container, Service } from "kubernetes-types/core/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { ACCESS_KEY, clusterNames, PORTS, RIGGER_PATHS } from "../../../core/api/names.ts";
import { Deployments, NetworkPolicies, PodDisruptionBudgets, Services } from "#kit/kube/builtin";
import type { Wanted } from "#kit/kube/kube";
import type { OwnedObject } from "#kit/reconcile/object-applier";
import { LEAVE_SOON } from "../../../core/releases/bundle/eviction.ts";
import { imageOf, REPOSITORIES } from "../../../core/releases/catalogue/images.ts";
import { clusterRules } from "../../../core/releases/permissions/roles.ts";
import { nodesOf } from "../../../core/planner/view/cluster-view.ts";
import { access } from "./access.ts";
import { nodeNetworkPolicy, type Callers } from "./network-policy.ts";
import { labelsOf, ownedMeta, selectorOf, type Owner } from "./meta.ts";
import { placementOf } from "./placement.ts";

/** Who reaches what: the objects of a cluster depend on it beside the cluster itself. */
export interface Reach {
  /** Undefined: no network policy. Who calls is not known, or the operator may not keep one. */
  readonly callers: Callers | undefined;
  /** Names of the Secrets that nodes may use; undefined: every one. */
  readonly secrets: readonly string[] | undefined;
  /** Nodes of a release that needs more are members. */
  readonly hasOlderNodes: boolean;
  /** Service accounts as which node pods run, or are about to. */
  readonly accounts: readonly string[];
}

/** Everything that a cluster needs besides its secrets and its nodes, at the operator's own release. */
export function ownedObjects(owner: Owner, reach: Reach): readonly OwnedObject[] {
  const { callers, secrets, accounts, hasOlderNodes } = reach;
  const { name, spec, platform } = owner.view;
  const rigger = clusterNames.rigger(name);
  const scope = {
    name,
    secrets,
    hasOlderNodes,
    nodes: nodesOf(owner.view),
    ...(platform !== undefined && { platform }),
  };
  const account = { name: spec.serviceAccountName ?? name, isMade: spec.createServiceAccount, former: accounts };
  return [
    ...access(owner, name, clusterRules("node", scope), account),
    ...access(owner, rigger, clusterRules("rigger", scope), { name: rigger, isMade: true, former: [] }),
    { type: Services, object: nodeService(owner) },
    { type: PodDisruptionBudgets, object: disruptionBudget(owner) },
    { type: Deployments, object: riggerDeployment(owner) },
    ...(callers === undefined || !spec.networkPolicy.enabled
      ? []
      : [{ type: NetworkPolicies, object: nodeNetworkPolicy(owner, callers) }]),
  ];
}

/** Headless: clients of the management API, and links of other sites, find every node, ready or not. */
function nodeService(owner: Owner): Wanted<Service> {
  return {
    metadata: ownedMeta(owner, clusterNames.nodeService(owner.view.name), "node"),
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorOf(owner, "node"),
      ports: [
        { name: "api", port: PORTS.management, targetPort: PORTS.management },
        { name: "replication", port: PORTS.replication, targetPort: PORTS.replication },
      ],
    },
  };
}

function disruptionBudget(owner: Owner): Wanted<PodDisruptionBudget> {
  return {
    metadata: ownedMeta(owner, clusterNames.disruptionBudget(owner.view.name), "node"),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(owner, "node") } },
  };
}

function riggerDeployment(owner: Owner): Wanted<Deployment> {
  const { name, spec } = owner.view;
  const rigger = clusterNames.rigger(name);
  const credentials = spec.clusterCredentialSecretName ?? clusterNames.credentialsSecret(name);
  return {
    metadata: ownedMeta(owner, rigger, "services-rigger"),
    spec: {
      replicas: 1,
      // the next one runs before the last one ends: endpoints are reconciled all the time
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: selectorOf(owner, "services-rigger") },
      template: {
        metadata: { labels: labelsOf(owner, "services-rigger") },
        spec: {
          serviceAccountName: rigger,
          ...placementOf(spec, LEAVE_SOON),
          securityContext: { runAsNonRoot: true, runAsUser: 1001, seccompProfile: { type: "RuntimeDefault" } },
          containers: [riggerContainer(owner)],
          volumes: [
            { name: "credentials", secret: { secretName: credentials } },
            {
              name: "authority",
              secret: {
                secretName: clusterNames.nodeTlsSecret(name),
                items: ["ca.crt", ACCESS_KEY].map((key) => ({ key, path: key })),
              },
            },
          ],
        },
      },
    },
  };
}

function riggerContainer({ view }: Owner): Container {
  const { name, spec, release } = view;
  const image = spec.storeEnterpriseServicesRiggerImageSpec;
  return {
    name: "services-rigger",
    image: imageOf(image, REPOSITORIES.servicesRigger, release.operator),
    imagePullPolicy: image?.imagePullPolicy ?? "IfNotPresent",
    args: ["rigger"],
    env: [
      { name: "CLUSTER_NAME", value: name },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ],
    resources: spec.storeEnterpriseServicesRiggerResources,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "credentials", mountPath: RIGGER_PATHS.credentials, readOnly: true },
      { name: "authority", mountPath: RIGGER_PATHS.authority, readOnly: true },
    ],
  };
}
