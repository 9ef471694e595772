import { acceptDefinition, DEFINITIONS } from "../crd/acceptance.ts";
import { conflictError, notFoundError, qualifiedResource, apiErrors, apiError } from "../faults.ts";
import type { ApiCall } from "../http/call.ts";
import { type KubeObject } from "../objects/object.ts";
import type { Resource } from "../resources/resource.ts";
import type { ServerContext } from "../context/server-context.ts";
import { assignClusterIp } from "./cluster-ip.ts";
import { checkEscalation } from "./escalation.ts";
import { giveServiceAccount } from "./service-account.ts";
import { checkResize } from "./volume-resize.ts";

/** An object on its way to the store; `before` is absent for a create. */
export interface Admission {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
  readonly call: ApiCall;
}

/** The rules built into the server: they may change the object, or refuse it. */
export function admit(context: ServerContext, admission: Admission): void {
  const { resource, object, before, call } = admission;
  if (before === undefined && resource.namespaced) namespaceOpen(context, admission);
  if (before !== undefined) finalizersOnlyShrink(resource, object, before);
  if (ROLES.test(resource.bucket)) checkEscalation(context.store, call.user, resource, object, before);
  switch (resource.bucket) {
    case "pods":
      if (before === undefined) giveServiceAccount(context, object);
      return;
    case DEFINITIONS:
      if (before === undefined) object["status"] = acceptDefinition(context, object)["status"];
      return;
    case "services":
      assignClusterIp(context, object, before);
      return;
    case "persistentvolumeclaims":
      if (before !== undefined) checkResize(context, object, before);
      return;
    default:
      return;
  }
}

const ROLES = /^(?:cluster)?role(?:binding)?s\.rbac\.authorization\.k8s\.io$/;

function namespaceOpen(context: ServerContext, { resource, object }: Admission): void {
  const name = object.metadata.namespace ?? "";
  const namespace = context.store.get("namespaces", name);
  if (namespace === undefined) throw notFoundError({ group: "", plural: "namespaces" }, name);
  if (namespace.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${name} because it is being terminated`;
  throw apiError(
    apiErrors.forbidden,
    `${qualifiedResource(resource)} ${JSON.stringify(object.metadata.name)} is forbidden: ${why}`,
    {
      name: object.metadata.name,
      group: resource.group,
      kind: resource.plural,
      causes: [
        {
          reason: "NamespaceTerminating",
          message: `namespace ${name} is being terminated`,
          field: "metadata.namespace",
        },
      ],
    },
  );
}

/** No finalizer can be added to an object that is being deleted. */
function finalizersOnlyShrink(resource: Resource, object: KubeObject, before: KubeObject): void {
  if (before.metadata.deletionTimestamp === undefined) return;
  const old = before.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !old.includes(finalizer));
  if (added.length === 0) return;
  const message = `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  const causes = [{ reason: "FieldValueForbidden", field: "metadata.finalizers", message }];
  const { name } = object.metadata;
  throw apiError(apiErrors.invalid, `${resource.kind} ${JSON.stringify(name)} is invalid: ${message}`, {
    name,
    group: resource.group,
    kind: resource.kind,
    causes,
  });
}

/** Refuses to delete what the cluster needs. */
export function admitDelete(resource: Resource, object: KubeObject): void {
  const { name } = object.metadata;
  if (resource.bucket !== "namespaces" || !["default", "kube-system", "kube-public"].includes(name)) return;
  throw apiError(
    apiErrors.forbidden,
    `namespaces ${JSON.stringify(name)} is forbidden: this namespace may not be deleted`,
    {
      name,
      kind: "namespaces",
    },
  );
}

/** 409 when an object has changed under a precondition. */
export function precondition(
  resource: Resource,
  live: KubeObject,
  wanted: { uid: string; resourceVersion: string },
): void {
  const { name, uid = "", resourceVersion = "" } = live.metadata;
  if (wanted.uid !== "" && wanted.uid !== uid) {
    throw conflictError(
      resource,
      name,
      `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`,
    );
  }
  if (wanted.resourceVersion !== "" && wanted.resourceVersion !== resourceVersion) {
    const why = `Precondition failed: ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`;
    throw conflictError(resource, name, why);
  }
}
