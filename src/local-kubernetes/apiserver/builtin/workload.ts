import type { Resource, ScalePaths } from "../resources/resource.ts";
import * as workload from "../strategy/workload.ts";
import * as workloadTable from "../table/workloads.ts";
import { builtinResource } from "./builtin-resource.ts";

const REPLICAS: ScalePaths = { spec: ".spec.replicas", status: ".status.replicas", selector: ".spec.selector" };

/** The resources of the groups apps and batch. */
export const workloadResources: readonly Resource[] = [
  builtinResource("apps", "v1", "ControllerRevision", "controllerrevisions", {
    columns: workloadTable.controllerRevisionColumns,
  }),
  builtinResource("apps", "v1", "DaemonSet", "daemonsets", {
    shortNames: ["ds"],
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.daemonSetColumns,
    strategy: workload.daemonSetStrategy,
  }),
  builtinResource("apps", "v1", "Deployment", "deployments", {
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.deploymentColumns,
    strategy: workload.deploymentStrategy,
  }),
  builtinResource("apps", "v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.replicaSetColumns,
    strategy: workload.replicaSetStrategy,
  }),
  builtinResource("apps", "v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    categories: ["all"],
    subresources: ["status", "scale"],
    scale: REPLICAS,
    counted: true,
    columns: workloadTable.statefulSetColumns,
    strategy: workload.statefulSetStrategy,
  }),
  builtinResource("batch", "v1", "CronJob", "cronjobs", {
    shortNames: ["cj"],
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.cronJobColumns,
    strategy: workload.cronJobStrategy,
  }),
  builtinResource("batch", "v1", "Job", "jobs", {
    categories: ["all"],
    subresources: ["status"],
    counted: true,
    columns: workloadTable.jobColumns,
    strategy: workload.jobStrategy,
  }),
];
