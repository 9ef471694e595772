import { at, childOf, fillIn, jsonAt, listAt, mapAt, numberAt, textAt, type Json } from "../objects/json.ts";
import type { StatusCause } from "../faults.ts";
import type { KubeObject } from "../objects/object.ts";
import { sameJson } from "../schema/json.ts";
import type { Strategy } from "../resources/resource.ts";
import { portRules } from "./pod-rules.ts";

export const namespaceStrategy: Strategy = {
  defaults: (namespace) => {
    const labels = childOf(namespace.metadata, "labels");
    labels["kubernetes.io/metadata.name"] = namespace.metadata.name;
  },
  begin: (namespace) => {
    fillIn(childOf(namespace, "spec"), { finalizers: ["kubernetes"] });
    namespace["status"] = { phase: "Active" };
  },
};

export const secretStrategy: Strategy = {
  defaults: (secret) => {
    fillIn(secret, { type: "Opaque" });
    const plain = Object.entries(mapAt(secret, "stringData"));
    if (plain.length > 0) {
      const data = childOf(secret, "data");
      for (const [key, value] of plain) data[key] = Buffer.from(value).toString("base64");
    }
    delete secret["stringData"];
  },
  check: (secret, before) => [
    ...keyRules(secret, ["data"]),
    ...sizeRule("data", bytesOf(secret, "data")),
    ...requireSameData(secret, before),
    ...sameType(secret, before),
  ],
};

export const configMapStrategy: Strategy = {
  check: (map, before) => [
    ...keyRules(map, ["data", "binaryData"]),
    ...sizeRule("[]", textBytes(map, "data") + bytesOf(map, "binaryData")),
    ...requireSameData(map, before),
  ],
};

export const volumeStrategy: Strategy = {
  defaults: (volume) => {
    fillIn(childOf(volume, "spec"), { volumeMode: "Filesystem", persistentVolumeReclaimPolicy: "Retain" });
  },
  begin: (volume) => {
    volume["status"] = { phase: "Pending" };
  },
};

export const storageClassStrategy: Strategy = {
  defaults: (storageClass) => {
    fillIn(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
  },
};

export const serviceStrategy: Strategy = {
  defaults: (service) => {
    const spec = childOf(service, "spec");
    fillIn(spec, { type: "ClusterIP", sessionAffinity: "None" });
    for (const port of listAt(spec, "ports")) fillIn(port, { protocol: "TCP", targetPort: port["port"] });
    const type = spec["type"];
    if (type === "ExternalName") return;
    fillIn(spec, { internalTrafficPolicy: "Cluster", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
    if (type !== "ClusterIP") fillIn(spec, { externalTrafficPolicy: "Cluster" });
    if (type === "LoadBalancer") fillIn(spec, { allocateLoadBalancerNodePorts: true });
  },
  begin: (service) => {
    service["status"] = { loadBalancer: {} };
  },
  check: serviceRules,
};

export const roleBindingStrategy: Strategy = {
  defaults: (binding) => {
    fillIn(childOf(binding, "roleRef"), { apiGroup: "rbac.authorization.k8s.io" });
    for (const subject of listAt(binding, "subjects")) {
      if (subject["kind"] !== "ServiceAccount") fillIn(subject, { apiGroup: "rbac.authorization.k8s.io" });
    }
  },
  check: (binding, before) => {
    if (before === undefined || sameJson(at(binding, "roleRef"), at(before, "roleRef"))) return [];
    const message = `Invalid value: ${JSON.stringify(at(binding, "roleRef"))}: cannot change roleRef`;
    return [{ reason: "FieldValueInvalid", field: "roleRef", message }];
  },
};

export const leaseStrategy: Strategy = {
  check: (lease) => {
    const seconds = numberAt(lease, "spec", "leaseDurationSeconds");
    if (seconds === undefined || seconds > 0) return [];
    const message = `Invalid value: ${seconds}: must be greater than 0`;
    return [{ reason: "FieldValueInvalid", field: "spec.leaseDurationSeconds", message }];
  },
};

export const ingressStrategy: Strategy = {
  begin: (ingress) => {
    ingress["status"] = { loadBalancer: {} };
  },
};

export const networkPolicyStrategy: Strategy = {
  defaults: (policy) => {
    const spec = childOf(policy, "spec");
    fillIn(spec, { policyTypes: spec["egress"] === undefined ? ["Ingress"] : ["Ingress", "Egress"] });
  },
};

function keyRules(object: KubeObject, fields: readonly string[]): StatusCause[] {
  return fields.flatMap((field) =>
    Object.keys(jsonAt(object, field))
      .filter((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key) || key === "." || key === "..")
      .map((key) => ({
        reason: "FieldValueInvalid",
        field: `${field}[${key}]`,
        message:
          `Invalid value: ${JSON.stringify(key)}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' ` +
          `(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
      })),
  );
}

/** Most that a ConfigMap or a Secret holds, in bytes. */
const MOST_DATA = 1_048_576;

function sizeRule(field: string, size: number): StatusCause[] {
  if (size <= MOST_DATA) return [];
  return [{ reason: "FieldValueTooLong", field, message: `Too long: may not be more than ${MOST_DATA} bytes` }];
}

function textBytes(object: KubeObject, field: string): number {
  return Object.values(mapAt(object, field)).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Of values in base64, decoded. */
function bytesOf(object: KubeObject, field: string): number {
  return Object.values(mapAt(object, field)).reduce((sum, text) => sum + Buffer.byteLength(text, "base64"), 0);
}

/** An object with `immutable: true` keeps its data. */
function requireSameData(object: KubeObject, before: KubeObject | undefined): StatusCause[] {
  if (before === undefined || before["immutable"] !== true) return [];
  const message = "Forbidden: field is immutable when `immutable` is set";
  return ["immutable", "data", "binaryData"]
    .filter((field) => !sameJson(object[field], before[field]))
    .map((field) => ({ reason: "FieldValueForbidden", field, message }));
}

function sameType(secret: KubeObject, before: KubeObject | undefined): StatusCause[] {
  if (before === undefined || textAt(secret, "type") === textAt(before, "type")) return [];
  const message = `Invalid value: ${JSON.stringify(secret["type"])}: field is immutable`;
  return [{ reason: "FieldValueInvalid", field: "type", message }];
}

function serviceRules(service: KubeObject, before: KubeObject | undefined): StatusCause[] {
  const spec: Json = jsonAt(service, "spec");
  const type = textAt(spec, "type");
  const causes = listAt(spec, "ports").flatMap(({ port }, i) => portRules(port, `spec.ports[${i}].port`));
  if (type !== "ExternalName" && spec["clusterIP"] !== "None" && listAt(spec, "ports").length === 0) {
    causes.push({ reason: "FieldValueRequired", field: "spec.ports", message: "Required value" });
  }
  const old = before === undefined ? "" : textAt(before, "spec", "clusterIP");
  if (
    old !== "" &&
    type !== "ExternalName" &&
    textAt(before, "spec", "type") !== "ExternalName" &&
    textAt(spec, "clusterIP") !== old
  ) {
    const message = `Invalid value: ${JSON.stringify(spec["clusterIP"] ?? "")}: may not change once set`;
    causes.push({ reason: "FieldValueInvalid", field: "spec.clusterIPs[0]", message });
  }
  return causes;
}
