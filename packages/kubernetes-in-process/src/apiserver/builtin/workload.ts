import type { Resource, ScalePaths } from "../resources/resource.ts";
import * as workload from "../strategy/workload.ts";
import * as workloadTable from "../table/workloads.ts";
import { builtinResource } from "./builtin-resource.ts";

const REPLICAS: ScalePaths = { spec: ".spec.replicas", status: ".status.replicas", selector: ".spec.selector" };

/** What all workloads with a number of replicas have. */
const SCALED = { categories: ["all"], subresources: ["status", "scale"], scale: REPLICAS, counted: true } as const;

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
    ...SCALED,
    columns: workloadTable.deploymentColumns,
    strategy: workload.deploymentStrategy,
  }),
  builtinResource("apps", "v1", "ReplicaSet", "replicasets", {
    shortNames: ["rs"],
    ...SCALED,
    columns: workloadTable.replicaSetColumns,
    strategy: workload.replicaSetStrategy,
  }),
  builtinResource("apps", "v1", "StatefulSet", "statefulsets", {
    shortNames: ["sts"],
    ...SCALED,
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
