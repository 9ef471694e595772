import { at, jsonAt, listAt, mapAt, numberAt, textAt, textsAt } from "../objects/json.ts";
import type { KubeObject } from "../objects/object.ts";
import type { Column } from "../resources/resource.ts";
import { ageColumn, countColumn, createdColumn, commaSeparated, nameColumn, orNone, textColumn } from "./column.ts";
import { ageOf } from "./duration.ts";

export const plainColumns: readonly Column[] = [nameColumn, ageColumn];
export const createdColumns: readonly Column[] = [nameColumn, createdColumn];

export const namespaceColumns: readonly Column[] = [
  nameColumn,
  textColumn("Status", (o) => textAt(o, "status", "phase")),
  ageColumn,
];

export const secretColumns: readonly Column[] = [
  nameColumn,
  textColumn("Type", (o) => textAt(o, "type")),
  countColumn("Data", (o) => Object.keys(jsonAt(o, "data")).length),
  ageColumn,
];

export const configMapColumns: readonly Column[] = [
  nameColumn,
  countColumn("Data", (o) => Object.keys(jsonAt(o, "data")).length + Object.keys(jsonAt(o, "binaryData")).length),
  ageColumn,
];

export const serviceAccountColumns: readonly Column[] = [
  nameColumn,
  countColumn("Secrets", (o) => listAt(o, "secrets").length),
  ageColumn,
];

export const nodeColumns: readonly Column[] = [
  nameColumn,
  textColumn("Status", (o) => {
    const ready = listAt(o, "status", "conditions").find((condition) => condition["type"] === "Ready");
    const state = ready === undefined ? "Unknown" : ready["status"] === "True" ? "Ready" : "NotReady";
    return at(o, "spec", "unschedulable") === true ? `${state},SchedulingDisabled` : state;
  }),
  textColumn("Roles", (o) => {
    const prefix = "node-role.kubernetes.io/";
    return commaSeparated(
      Object.keys(mapAt(o, "metadata", "labels"))
        .filter((label) => label.startsWith(prefix))
        .map((label) => label.slice(prefix.length))
        .sort(),
    );
  }),
  ageColumn,
  textColumn("Version", (o) => textAt(o, "status", "nodeInfo", "kubeletVersion")),
  textColumn("Internal-IP", (o) => nodeAddress(o, "InternalIP"), 1),
  textColumn("External-IP", (o) => nodeAddress(o, "ExternalIP"), 1),
  textColumn("OS-Image", (o) => orUnknown(o, "osImage"), 1),
  textColumn("Kernel-Version", (o) => orUnknown(o, "kernelVersion"), 1),
  textColumn("Container-Runtime", (o) => orUnknown(o, "containerRuntimeVersion"), 1),
];

export const claimColumns: readonly Column[] = [
  nameColumn,
  textColumn("Status", (o) =>
    o.metadata.deletionTimestamp === undefined ? textAt(o, "status", "phase") : "Terminating",
  ),
  textColumn("Volume", (o) => textAt(o, "spec", "volumeName")),
  textColumn("Capacity", (o) =>
    textAt(o, "spec", "volumeName") === "" ? "" : textAt(o, "status", "capacity", "storage"),
  ),
  textColumn("Access Modes", (o) => (textAt(o, "spec", "volumeName") === "" ? "" : accessModes(o, "status"))),
  textColumn("StorageClass", (o) => textAt(o, "spec", "storageClassName")),
  textColumn("VolumeAttributesClass", (o) => textAt(o, "spec", "volumeAttributesClassName") || "<unset>"),
  ageColumn,
  textColumn("VolumeMode", (o) => textAt(o, "spec", "volumeMode") || "<unset>", 1),
];

export const volumeColumns: readonly Column[] = [
  nameColumn,
  textColumn("Capacity", (o) => textAt(o, "spec", "capacity", "storage")),
  textColumn("Access Modes", (o) => accessModes(o, "spec")),
  textColumn("Reclaim Policy", (o) => textAt(o, "spec", "persistentVolumeReclaimPolicy")),
  textColumn("Status", (o) =>
    o.metadata.deletionTimestamp === undefined ? textAt(o, "status", "phase") : "Terminating",
  ),
  textColumn("Claim", (o) =>
    at(o, "spec", "claimRef") === undefined
      ? ""
      : `${textAt(o, "spec", "claimRef", "namespace")}/${textAt(o, "spec", "claimRef", "name")}`,
  ),
  textColumn("StorageClass", (o) => textAt(o, "spec", "storageClassName")),
  textColumn("VolumeAttributesClass", (o) => textAt(o, "spec", "volumeAttributesClassName") || "<unset>"),
  textColumn("Reason", (o) => textAt(o, "status", "reason")),
  ageColumn,
  textColumn("VolumeMode", (o) => textAt(o, "spec", "volumeMode") || "<unset>", 1),
];

export const storageClassColumns: readonly Column[] = [
  {
    ...nameColumn,
    cell: (o) => {
      const isDefault = mapAt(o, "metadata", "annotations")["storageclass.kubernetes.io/is-default-class"] === "true";
      return isDefault ? `${o.metadata.name} (default)` : o.metadata.name;
    },
  },
  textColumn("Provisioner", (o) => textAt(o, "provisioner")),
  textColumn("ReclaimPolicy", (o) => textAt(o, "reclaimPolicy") || "Delete"),
  textColumn("VolumeBindingMode", (o) => orNone(o, "volumeBindingMode")),
  textColumn("AllowVolumeExpansion", (o) => String(at(o, "allowVolumeExpansion") === true)),
  ageColumn,
];

export const eventColumns: readonly Column[] = [
  textColumn("Last Seen", (o, now) => lastSeen(o, now)),
  textColumn("Type", (o) => textAt(o, "type")),
  textColumn("Reason", (o) => textAt(o, "reason")),
  textColumn("Object", (o) => {
    const kind = textAt(o, "involvedObject", "kind").toLowerCase();
    const name = textAt(o, "involvedObject", "name");
    return name === "" ? kind : `${kind}/${name}`;
  }),
  textColumn("Subobject", (o) => textAt(o, "involvedObject", "fieldPath"), 1),
  textColumn("Source", (o) => eventSource(o), 1),
  textColumn("Message", (o) => textAt(o, "message").trim()),
  textColumn("First Seen", (o, now) => ageOf(at(o, "firstTimestamp") ?? at(o, "eventTime"), now), 1),
  countColumn("Count", (o) => numberAt(o, "series", "count") ?? numberAt(o, "count") ?? 1, 1),
  { ...nameColumn, priority: 1 },
];

function lastSeen(event: KubeObject, now: Date): string {
  const first = ageOf(at(event, "firstTimestamp") ?? at(event, "eventTime"), now);
  const series = at(event, "series");
  if (series !== undefined)
    return `${ageOf(at(series, "lastObservedTime"), now)} (x${numberAt(series, "count") ?? 0} over ${first})`;
  const times = numberAt(event, "count") ?? 0;
  const last = at(event, "lastTimestamp") ?? at(event, "firstTimestamp") ?? at(event, "eventTime");
  return times > 1 ? `${ageOf(last, now)} (x${times} over ${first})` : ageOf(last, now);
}

function eventSource(event: KubeObject): string {
  const component = textAt(event, "source", "component") || textAt(event, "reportingComponent");
  const host = textAt(event, "source", "host") || textAt(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}

function nodeAddress(node: KubeObject, type: string): string {
  const found = listAt(node, "status", "addresses").find((address) => address["type"] === type);
  return orNone(found, "address");
}

function orUnknown(node: KubeObject, field: string): string {
  return textAt(node, "status", "nodeInfo", field) || "<unknown>";
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(object: KubeObject, part: string): string {
  return textsAt(object, part, "accessModes")
    .map((mode) => SHORT_MODES[mode] ?? mode)
    .join(",");
}
