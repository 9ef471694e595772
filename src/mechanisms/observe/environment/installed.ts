import type { Deployment } from "kubernetes-types/apps/v1.js";
import { KINDS } from "../../../core/api/kinds.ts";
import {
  ADMISSION_SECRET,
  ADMISSION_SERVICE,
  API_GROUP,
  OLD_CONSTRAINT,
  OLD_WEBHOOK_CONFIGURATION,
  OPERATOR_NAME,
  RELEASE_ANNOTATION,
  WEBHOOK_CONFIGURATION,
} from "../../../core/api/names.ts";
import {
  CustomResourceDefinitions,
  Deployments,
  EndpointSlices,
  RoleBindings,
  Secrets,
  SecurityContextConstraints,
  Services,
  ValidatingWebhookConfigurations,
} from "#kit/kube/builtin";
import type { Kube, Stored } from "#kit/kube/kube";
import { admissionRoute } from "../../../core/planner/prerequisites/admission-route.ts";
import { webhookEntry } from "../../../core/planner/prerequisites/webhook-entry.ts";
import type {
  AdmissionRoute,
  ConstraintFacts,
  Definition,
  OperatorFacts,
  WebhookFacts,
} from "../../../core/planner/prerequisites/environment.ts";
import type { ClusterName } from "./place.ts";

/** Our definitions as they are installed. */
export async function readDefinitions(kube: Kube): Promise<readonly Definition[]> {
  const names = Object.values(KINDS).map(({ plural }) => `${plural}.${API_GROUP}`);
  const found = await Promise.all(names.map((name) => kube.get(CustomResourceDefinitions, { name })));
  return found.map((definition, index) => ({
    name: names[index] ?? "",
    release: definition?.metadata.annotations?.[RELEASE_ANNOTATION],
    served: (definition?.spec.versions ?? []).filter(({ served }) => served).map(({ name }) => name),
    stored: definition?.status?.storedVersions ?? [],
    keepsUnknownFields: definition?.spec.preserveUnknownFields === true,
  }));
}

/** The operator's Deployment; one that is not there has an empty image. */
export async function readOperator(kube: Kube, { namespace }: ClusterName): Promise<OperatorFacts> {
  const deployment = await kube.get(Deployments, { name: OPERATOR_NAME, namespace });
  const containers = deployment?.spec?.template.spec?.containers ?? [];
  return {
    image: (containers.find(({ name }) => name === OPERATOR_NAME) ?? containers[0])?.image ?? "",
    ready: deployment?.status?.readyReplicas ?? 0,
    wanted: deployment === undefined ? 0 : (deployment.spec?.replicas ?? 1),
    ...(deployment?.spec?.paused === true ? { paused: isBehind(deployment) ? "behind" : "current" } : {}),
    ...(deployment?.metadata.deletionTimestamp === undefined ? {} : { leaving: true }),
  };
}

/** Pods of its template are missing, by the word of its controller. */
function isBehind({ metadata, spec, status }: Stored<Deployment>): boolean {
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isSeen && (status?.updatedReplicas ?? 0) < (spec?.replicas ?? 1);
}

/** The constraint of old releases, and who is bound to it; elsewhere than on OpenShift it is never there. */
export async function readConstraint(kube: Kube, { namespace }: ClusterName): Promise<ConstraintFacts | undefined> {
  const found = await kube.get(SecurityContextConstraints, { name: OLD_CONSTRAINT });
  if (found === undefined) return undefined;
  const { items } = await kube.list(RoleBindings, { namespace });
  const users = found.users ?? [];
  const isOurs = (user: string): boolean => user.startsWith(`system:serviceaccount:${namespace}:`);
  return {
    accounts: users.filter(isOurs),
    others: users.filter((user) => !isOurs(user)),
    bindings: items.filter(({ roleRef }) => roleRef.name === GIVES_CONSTRAINT).map(({ metadata }) => metadata.name),
  };
}

/** The ClusterRole that OpenShift makes for the users of the constraint. */
const GIVES_CONSTRAINT = `system:openshift:scc:${OLD_CONSTRAINT}`;

/** The webhooks that call this namespace's admission service or carry its old name, and what they have to agree with. */
export async function readWebhook(kube: Kube, { namespace }: ClusterName): Promise<WebhookFacts> {
  const [{ items }, secret, route] = await Promise.all([
    kube.list(ValidatingWebhookConfigurations),
    kube.get(Secrets, { name: ADMISSION_SECRET, namespace }),
    readAdmissionRoute(kube, namespace),
  ]);
  const configurations = items.flatMap((configuration) => {
    const { name } = configuration.metadata;
    const services = (configuration.webhooks ?? []).map(({ clientConfig }) => clientConfig.service);
    const isOurs = services.some(
      (service) =>
        service?.namespace === namespace && (service.name === ADMISSION_SERVICE || name === WEBHOOK_CONFIGURATION),
    );
    if (!isOurs && name !== OLD_WEBHOOK_CONFIGURATION) return [];
    const { entry, calls, isRefusing, caBundle } = webhookEntry(configuration);
    return [{ name, entry, calls, isRefusing, caBundle: decodeBase64(caBundle) }];
  });
  const certificate = secret === undefined ? undefined : decodeBase64(secret.data?.["cert"]);
  return { namespace, configurations, certificate, route };
}

/** How the API server reaches the webhook of the operator in `namespace`. */
export async function readAdmissionRoute(kube: Kube, namespace: string): Promise<AdmissionRoute> {
  const [services, slices] = await Promise.all([
    kube.list(Services, { namespace, fieldSelector: `metadata.name=${ADMISSION_SERVICE}` }),
    kube.list(EndpointSlices, { namespace, labelSelector: `kubernetes.io/service-name=${ADMISSION_SERVICE}` }),
  ]);
  return admissionRoute(services.items[0], slices.items);
}

function decodeBase64(base64 = ""): string {
  return Buffer.from(base64, "base64").toString();
}
