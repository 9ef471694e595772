import { KINDS } from "../../api/kinds.ts";
import {
  ADMISSION_PORT,
  ADMISSION_SERVICE,
  API_GROUP,
  API_VERSION,
  APP_LABEL,
  DEFINITIONS_WEBHOOK_NAME,
  OLD_WEBHOOK_CONFIGURATION,
  OPERATOR_NAME,
  operatorCall,
  PORTS,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_NAME,
} from "../../api/names.ts";

/** The text in the template that a user replaces with the namespace of the operator (§4.1). */
export const OPERATOR_NAMESPACE = "OPERATOR_NAMESPACE";

/** The label with its own name that every namespace has. */
export const NAMESPACE_NAME = "kubernetes.io/metadata.name";

const LABELED = { labels: { app: APP_LABEL } };

/** The Service behind which the operator answers admission reviews (§2.1). */
export function admissionService() {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: ADMISSION_SERVICE, ...LABELED },
    spec: {
      selector: { name: OPERATOR_NAME },
      ports: [ADMISSION_PORT],
    },
  };
}

/**
 * Lets in what the operator is asked for: reviews and metrics. The API server and what reads metrics come from addresses that are
 * not known here, so that any may come to these two ports, also where a namespace lets nothing in otherwise.
 */
export function operatorNetworkPolicy() {
  const ports = [PORTS.admission, PORTS.metrics].map((port) => ({ port, protocol: "TCP" }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: ADMISSION_SERVICE, ...LABELED },
    spec: {
      podSelector: { matchLabels: { name: OPERATOR_NAME } },
      policyTypes: ["Ingress"],
      ingress: [{ ports }],
    },
  };
}

/**
 * The ValidatingWebhookConfiguration of the operator in `namespace`, for what is written in the namespaces `watched`. It
 * never stands in the way of the operator itself, nor of an object that is on its way out.
 */
export function webhookConfiguration(namespace: string, watched: readonly string[], caBundle?: string) {
  const account = `system:serviceaccount:${namespace}:${OPERATOR_NAME}`;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: WEBHOOK_CONFIGURATION, ...LABELED },
    webhooks: [
      {
        name: WEBHOOK_NAME,
        clientConfig: {
          service: operatorCall(namespace),
          ...(caBundle === undefined ? {} : { caBundle }),
        },
        rules: judgedKinds(),
        namespaceSelector: namespacesNamed(watched),
        matchConditions: [
          { name: "not-the-operator", expression: `request.userInfo.username != "${account}"` },
          { name: "not-being-deleted", expression: "!has(object.metadata.deletionTimestamp)" },
        ],
        failurePolicy: "Fail" as const,
        matchPolicy: "Exact" as const,
        sideEffects: "None" as const,
        timeoutSeconds: 10,
        admissionReviewVersions: ["v1", "v1beta1"],
      },
    ],
  };
}

/** What the operator is asked about: all that is written to our kinds. */
export function judgedKinds() {
  return [
    {
      operations: ["CREATE" as const, "UPDATE" as const],
      apiGroups: [API_GROUP],
      apiVersions: [API_VERSION],
      resources: Object.values(KINDS).map(({ plural }) => plural),
      scope: "Namespaced" as const,
    },
  ];
}

/**
 * The entry that has the operator in `namespace` asked before one of our definitions is replaced. An operator that does not
 * answer blocks no write: its own repair may contain definitions.
 */
export function definitionsWebhook(namespace: string, caBundle: string) {
  return {
    name: DEFINITIONS_WEBHOOK_NAME,
    clientConfig: {
      service: operatorCall(namespace),
      caBundle,
    },
    rules: [
      {
        operations: ["UPDATE" as const],
        apiGroups: ["apiextensions.k8s.io"],
        apiVersions: ["v1"],
        resources: ["customresourcedefinitions"],
        scope: "Cluster" as const,
      },
    ],
    matchConditions: [{ name: "ours", expression: `object.spec.group == "${API_GROUP}"` }],
    failurePolicy: "Ignore" as const,
    matchPolicy: "Exact" as const,
    sideEffects: "None" as const,
    timeoutSeconds: 5,
    admissionReviewVersions: ["v1", "v1beta1"],
  };
}

/** Chooses namespaces by their names. */
export function namespacesNamed(names: readonly string[]) {
  return { matchExpressions: [{ key: NAMESPACE_NAME, operator: "In", values: [...names] }] };
}

/** The ClusterRole with which the operator manages the webhook. */
const ADMISSION_ACCESS = `${OPERATOR_NAME}-admission`;

/**
 * What lets the operator manage the webhook; without it users do, by the commands of §4.1. The name of what is created cannot
 * be limited: so the configuration comes from here, calls nothing yet, and the operator fills it in.
 */
export function admissionAccess(namespace: string): readonly object[] {
  const name = ADMISSION_ACCESS;
  const group = "admissionregistration.k8s.io";
  const resources = ["validatingwebhookconfigurations"];
  const rule = (verbs: readonly string[], resourceNames?: readonly string[]) => ({
    apiGroups: [group],
    resources,
    ...(resourceNames && { resourceNames }),
    verbs,
  });
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, ...LABELED },
      rules: [rule(["list"]), rule(["patch"], [WEBHOOK_CONFIGURATION]), rule(["delete"], [OLD_WEBHOOK_CONFIGURATION])],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name, ...LABELED },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name: OPERATOR_NAME, namespace }],
    },
    emptyConfiguration(),
  ];
}

/** The configuration before the operator has filled it in: it calls nothing, and stands in the way of nothing. */
export function emptyConfiguration() {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: WEBHOOK_CONFIGURATION, ...LABELED },
  };
}
