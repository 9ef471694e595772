import { apiErrors, apiError } from "../faults.ts";
import { childOf, fillIn, listAt, textAt, type Json } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import { generatedName } from "../objects/generated-names.ts";
import type { ServerContext } from "../context/server-context.ts";

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Gives a new pod its service account (`default` when it names none; 403 when there is no such account) and mounts the
 * account's token, the CA certificate and the namespace in each container, unless pod or account opt out.
 */
export function giveServiceAccount(context: ServerContext, pod: KubeObject): void {
  const spec = childOf(pod, "spec");
  fillIn(spec, { serviceAccountName: "default" });
  spec["serviceAccount"] = spec["serviceAccountName"];
  const name = textAt(spec, "serviceAccountName");
  const namespace = pod.metadata.namespace ?? "";
  const account = context.store.get("serviceaccounts", `${namespace}/${name}`);
  if (account === undefined) {
    const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
    throw apiError(apiErrors.forbidden, `pods ${JSON.stringify(pod.metadata.name)} is forbidden: ${why}`, {
      name: pod.metadata.name,
      kind: "pods",
    });
  }
  if ((spec["automountServiceAccountToken"] ?? account["automountServiceAccountToken"]) !== false) mountToken(spec);
}

function mountToken(spec: Json): void {
  const containers = [...listAt(spec, "initContainers"), ...listAt(spec, "containers")].filter(
    (container) => !listAt(container, "volumeMounts").some((mount) => mount["mountPath"] === MOUNT_PATH),
  );
  if (containers.length === 0) return;
  const name = generatedName("kube-api-access-");
  spec["volumes"] = [...listAt(spec, "volumes"), { name, projected: { defaultMode: 420, sources: SOURCES } }];
  for (const container of containers) {
    const mount = { name, mountPath: MOUNT_PATH, readOnly: true };
    container["volumeMounts"] = [...listAt(container, "volumeMounts"), mount];
  }
}

const SOURCES: readonly Json[] = [
  { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
  { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
  { downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] } },
];
