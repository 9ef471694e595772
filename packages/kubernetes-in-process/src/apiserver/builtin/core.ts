import { REQUEST_VERBS, type Resource } from "../resources/resource.ts";
import { claimStrategy } from "../strategy/claim.ts";
import * as core from "../strategy/core.ts";
import { coreEventStrategy } from "../strategy/event.ts";
import { podStrategy } from "../strategy/pod.ts";
import * as coreTable from "../table/core.ts";
import * as networkTable from "../table/network.ts";
import { podColumns } from "../table/pods.ts";
import { builtinResource } from "./builtin-resource.ts";

/** The resources of the core group. */
export const coreResources: readonly Resource[] = [
  builtinResource("", "v1", "ConfigMap", "configmaps", {
    shortNames: ["cm"],
    columns: coreTable.configMapColumns,
    strategy: core.configMapStrategy,
  }),
  builtinResource("", "v1", "Endpoints", "endpoints", {
    singular: "endpoints",
    shortNames: ["ep"],
    columns: networkTable.endpointsColumns,
  }),
  builtinResource("", "v1", "Event", "events", {
    shortNames: ["ev"],
    columns: coreTable.eventColumns,
    strategy: coreEventStrategy,
  }),
  builtinResource("", "v1", "Namespace", "namespaces", {
    shortNames: ["ns"],
    namespaced: false,
    verbs: REQUEST_VERBS.filter((verb) => verb !== "deletecollection"),
    subresources: ["status", "finalize"],
    columns: coreTable.namespaceColumns,
    strategy: core.namespaceStrategy,
  }),
  builtinResource("", "v1", "Node", "nodes", {
    shortNames: ["no"],
    namespaced: false,
    subresources: ["status"],
    columns: coreTable.nodeColumns,
  }),
  builtinResource("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    shortNames: ["pvc"],
    subresources: ["status"],
    columns: coreTable.claimColumns,
    strategy: claimStrategy,
  }),
  builtinResource("", "v1", "PersistentVolume", "persistentvolumes", {
    shortNames: ["pv"],
    namespaced: false,
    subresources: ["status"],
    columns: coreTable.volumeColumns,
    strategy: core.volumeStrategy,
  }),
  builtinResource("", "v1", "Pod", "pods", {
    shortNames: ["po"],
    categories: ["all"],
    subresources: ["status", "log", "binding", "eviction", "attach", "exec", "portforward", "ephemeralcontainers"],
    counted: true,
    columns: podColumns,
    strategy: podStrategy,
  }),
  builtinResource("", "v1", "Secret", "secrets", { columns: coreTable.secretColumns, strategy: core.secretStrategy }),
  builtinResource("", "v1", "ServiceAccount", "serviceaccounts", {
    shortNames: ["sa"],
    subresources: ["token"],
    columns: coreTable.serviceAccountColumns,
  }),
  builtinResource("", "v1", "Service", "services", {
    shortNames: ["svc"],
    categories: ["all"],
    subresources: ["status"],
    columns: networkTable.serviceColumns,
    strategy: core.serviceStrategy,
  }),
];
