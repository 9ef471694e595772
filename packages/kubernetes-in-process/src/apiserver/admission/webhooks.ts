import { messageOf } from "../../../../controller-kit/src/base/fault.ts";
import { randomUUID } from "node:crypto";
import { apiErrors, apiError } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import { isDryRun } from "../http/call.ts";
import type { Target } from "../http/target.ts";
import { at, jsonAt, listAt, mapAt, numberAt, textAt, textsAt, type Json } from "../objects/json.ts";
import { joinApiVersion, type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import { matchesLabelSelector } from "../objects/label-selector.ts";
import type { ServerContext } from "../context/server-context.ts";
import { matchConditionHolds } from "./match-condition.ts";
import { postReview } from "./webhook-client.ts";

/** What a webhook is asked about; `object` is absent for a delete, `before` for a create. */
export interface AdmissionRequest {
  readonly resource: Resource;
  readonly target: Target;
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly call: ApiCall;
}

const CONFIGURATIONS = "validatingwebhookconfigurations.admissionregistration.k8s.io";

/** Asks every validating webhook that matches; the first refusal, or failure under `failurePolicy: Fail`, is thrown. */
export async function callWebhooks(context: ServerContext, admission: AdmissionRequest): Promise<void> {
  // configurations themselves are never subject to webhooks: a broken one could not be removed
  if (admission.resource.bucket === CONFIGURATIONS) return;
  const matching = context.store
    .list(CONFIGURATIONS)
    .flatMap((configuration) => listAt(configuration, "webhooks"))
    .filter((webhook) => matches(context, webhook, admission));
  await Promise.all(matching.map((webhook) => ask(context, webhook, admission)));
}

function matches(context: ServerContext, webhook: Json, admission: AdmissionRequest): boolean {
  const { object, before } = admission;
  const about = object ?? before;
  if (!listAt(webhook, "rules").some((rule) => ruleMatches(rule, admission))) return false;
  const objectLabels = mapAt(about, "metadata", "labels");
  if (!matchesLabelSelector(at(webhook, "objectSelector"), objectLabels)) return false;
  const namespace = about?.metadata.namespace;
  if (namespace === undefined) return true;
  const namespaceLabels = mapAt(context.store.get("namespaces", namespace), "metadata", "labels");
  return matchesLabelSelector(at(webhook, "namespaceSelector"), namespaceLabels);
}

function ruleMatches(rule: Json, { resource, target, operation }: AdmissionRequest): boolean {
  const has = (field: string, value: string): boolean => {
    const list = textsAt(rule, field);
    return list.includes("*") || list.includes(value);
  };
  const name = target.subresource === undefined ? resource.plural : `${resource.plural}/${target.subresource}`;
  const resources = textsAt(rule, "resources");
  const wild =
    target.subresource === undefined ? ["*", "*/*"] : ["*/*", `${resource.plural}/*`, `*/${target.subresource}`];
  const scope = textAt(rule, "scope");
  return (
    has("operations", operation) &&
    has("apiGroups", resource.group) &&
    has("apiVersions", resource.version) &&
    [name, ...wild].some((pattern) => resources.includes(pattern)) &&
    (scope === "" || scope === "*" || (scope === "Namespaced") === resource.namespaced)
  );
}

async function ask(context: ServerContext, webhook: Json, admission: AdmissionRequest): Promise<void> {
  const name = textAt(webhook, "name");
  const uid = randomUUID();
  let response: Json;
  try {
    const request = requestOf(admission, uid);
    if (!conditionsHold(webhook, request)) return;
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    const seconds = numberAt(webhook, "timeoutSeconds") ?? 10;
    response = jsonAt(await postReview(context, jsonAt(webhook, "clientConfig"), review, seconds), "response");
    if (response["uid"] !== uid) throw new Error("the answer is about another request");
  } catch (error) {
    context.log.warn("a validating webhook failed", { webhook: name, error: messageOf(error) });
    if (webhook["failurePolicy"] === "Ignore") return;
    throw apiError(apiErrors.internal, `failed calling webhook ${JSON.stringify(name)}: ${messageOf(error)}`);
  }
  for (const warning of textsAt(response, "warnings")) admission.call.warnings.add(warning);
  if (response["allowed"] === true) return;
  throw denialError(name, jsonAt(response, "status"));
}

function conditionsHold(webhook: Json, request: Json): boolean {
  const scope = { request, object: request["object"], oldObject: request["oldObject"] };
  return listAt(webhook, "matchConditions").every((each) => matchConditionHolds(textAt(each, "expression"), scope));
}

function requestOf({ resource, target, object, before, operation, call }: AdmissionRequest, uid: string): Json {
  const about = object ?? before;
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const named = { group: resource.group, version: resource.version, resource: resource.plural };
  return {
    uid,
    kind,
    resource: named,
    requestKind: kind,
    requestResource: named,
    ...(target.subresource === undefined
      ? {}
      : { subResource: target.subresource, requestSubResource: target.subresource }),
    name: about?.metadata.name ?? "",
    ...(about?.metadata.namespace === undefined ? {} : { namespace: about.metadata.namespace }),
    operation,
    userInfo: { username: call.user.name, groups: call.user.groups },
    object: object ?? null,
    oldObject: before ?? null,
    dryRun: isDryRun(call.query),
    options: {
      kind: `${operation[0] ?? ""}${operation.slice(1).toLowerCase()}Options`,
      apiVersion: joinApiVersion("meta.k8s.io", "v1"),
    },
  };
}

function denialError(webhook: string, status: Json): Error {
  const why = textAt(status, "message") || textAt(status, "reason") || "without explanation";
  const message = `admission webhook ${JSON.stringify(webhook)} denied the request: ${why}`;
  const code = numberAt(status, "code");
  const spec = Object.values(apiErrors).find(({ http }) => http === code && http >= 400) ?? apiErrors.badRequest;
  const details = jsonAt(status, "details");
  const causes = listAt(details, "causes").map((cause) => ({
    reason: textAt(cause, "reason"),
    field: textAt(cause, "field"),
    message: textAt(cause, "message"),
  }));
  return apiError(spec, message, {
    name: textAt(details, "name"),
    group: textAt(details, "group"),
    kind: textAt(details, "kind"),
    ...(causes.length === 0 ? {} : { causes }),
  });
}
