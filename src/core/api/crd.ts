import type { z } from "zod";
import { activeActiveSpec, activeActiveStatus, remoteClusterSpec, remoteClusterStatus } from "./active-active.ts";
import { backupScheduleSpec, backupScheduleStatus } from "./backup-schedule-spec.ts";
import { backupSpec, backupStatus } from "./backup-spec.ts";
import { clusterSpec } from "./cluster-spec.ts";
import { clusterStatus } from "./cluster-status.ts";
import { databaseSpec } from "./database-spec.ts";
import { databaseStatus } from "./database-status.ts";
import { KINDS, type KindName } from "./kinds.ts";
import { API_GROUP, API_VERSION, APP_LABEL } from "./names.ts";
import { restoreSpec, restoreStatus } from "./restore-spec.ts";
import { structuralSchema } from "./structural.ts";

interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "date" | "boolean";
  readonly jsonPath: string;
  readonly description?: string;
}

interface Definition {
  readonly kind: KindName;
  readonly purpose: string;
  readonly spec: z.ZodType;
  readonly status: z.ZodType;
  readonly columns: readonly PrinterColumn[];
}

/** The CustomResourceDefinition of each kind, as plain objects. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  return DEFINITIONS.map(definitionOf);
}

export type CustomResourceDefinition = ReturnType<typeof definitionOf>;

const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const SPEC_STATUS: PrinterColumn = { name: "Spec Status", type: "string", jsonPath: ".status.specStatus" };

const DEFINITIONS: readonly Definition[] = [
  {
    kind: "cluster",
    purpose: "A cluster of nodes that holds many databases.",
    spec: clusterSpec,
    status: clusterStatus,
    columns: [
      { name: "Nodes", type: "integer", jsonPath: ".spec.nodes" },
      { name: "Version", type: "string", jsonPath: ".status.version" },
      { name: "State", type: "string", jsonPath: ".status.state" },
      SPEC_STATUS,
      { name: "License State", type: "string", jsonPath: ".status.licenseStatus.licenseState" },
      { name: "Shards Limit", type: "integer", jsonPath: ".status.licenseStatus.shardsLimit" },
      { name: "License Expiration Date", type: "string", jsonPath: ".status.licenseStatus.expirationDate" },
      AGE,
    ],
  },
  {
    kind: "database",
    purpose: "A database of a cluster.",
    spec: databaseSpec,
    status: databaseStatus,
    columns: [
      { name: "Version", type: "string", jsonPath: ".status.version" },
      { name: "Port", type: "string", jsonPath: ".status.internalEndpoints[*].port" },
      { name: "Cluster", type: "string", jsonPath: ".status.cluster" },
      { name: "Shards", type: "integer", jsonPath: ".status.shardStatuses.active" },
      { name: "Status", type: "string", jsonPath: ".status.status" },
      SPEC_STATUS,
      AGE,
    ],
  },
  {
    kind: "activeActive",
    purpose: "A database that spans several clusters.",
    spec: activeActiveSpec,
    status: activeActiveStatus,
    columns: [
      { name: "Status", type: "string", jsonPath: ".status.status" },
      SPEC_STATUS,
      { name: "Linked REDBs", type: "string", jsonPath: ".status.linkedRedbs" },
      { name: "Replication Status", type: "string", jsonPath: ".status.replicationStatus" },
      AGE,
    ],
  },
  {
    kind: "remoteCluster",
    purpose: "The address of another cluster of an Active-Active database.",
    spec: remoteClusterSpec,
    status: remoteClusterStatus,
    columns: [
      { name: "Status", type: "string", jsonPath: ".status.status" },
      SPEC_STATUS,
      { name: "Local", type: "boolean", jsonPath: ".status.local" },
      AGE,
    ],
  },
  {
    kind: "backup",
    purpose:
      "One backup of a database in an object store. It is taken once, and the object may go when it is not needed any more: what was saved stays.",
    spec: backupSpec,
    status: backupStatus,
    columns: [
      { name: "Database", type: "string", jsonPath: ".spec.databaseName" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Bytes", type: "integer", jsonPath: ".status.bytes" },
      { name: "Keys", type: "integer", jsonPath: ".status.keys" },
      { name: "Completed", type: "date", jsonPath: ".status.completionTime" },
      AGE,
    ],
  },
  {
    kind: "backupSchedule",
    purpose:
      "Backups of a database, again and again: each time that one is due, a StoreEnterpriseBackup is made. Those that there are stay when the schedule goes.",
    spec: backupScheduleSpec,
    status: backupScheduleStatus,
    columns: [
      { name: "Database", type: "string", jsonPath: ".spec.databaseName" },
      { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
      { name: "Zone", type: "string", jsonPath: ".spec.timeZone" },
      { name: "Suspended", type: "boolean", jsonPath: ".spec.suspend" },
      { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: "Fresh", type: "string", jsonPath: '.status.conditions[?(@.type=="Fresh")].status' },
      { name: "Active", type: "string", jsonPath: ".status.active" },
      { name: "Last", type: "date", jsonPath: ".status.lastScheduleTime" },
      { name: "Restorable", type: "date", jsonPath: ".status.lastRestorableTime" },
      { name: "Next", type: "string", jsonPath: ".status.nextScheduleTime" },
      AGE,
    ],
  },
  {
    kind: "restore",
    purpose:
      "One restore of a backup into a database that it makes. It is done once, and the object may go at any time: the database stays as it is, and never begins without its data.",
    spec: restoreSpec,
    status: restoreStatus,
    columns: [
      { name: "Database", type: "string", jsonPath: ".spec.databaseName" },
      { name: "Backup", type: "string", jsonPath: ".spec.backupName" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Bytes", type: "integer", jsonPath: ".status.bytes" },
      { name: "Total", type: "integer", jsonPath: ".status.source.bytes" },
      { name: "Completed", type: "date", jsonPath: ".status.completionTime" },
      AGE,
    ],
  },
];

function definitionOf({ kind, purpose, spec, status, columns }: Definition) {
  const names = KINDS[kind];
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${API_GROUP}`, labels: { app: APP_LABEL } },
    spec: {
      group: API_GROUP,
      scope: "Namespaced",
      names: {
        kind: names.kind,
        listKind: `${names.kind}List`,
        plural: names.plural,
        singular: names.kind.toLowerCase(),
        shortNames: [names.shortName],
      },
      versions: [
        {
          name: API_VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schemaOf(purpose, spec, status) },
        },
      ],
    },
  } as const;
}

function schemaOf(purpose: string, spec: z.ZodType, status: z.ZodType) {
  return {
    type: "object",
    description: purpose,
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: { description: "What is wanted.", ...structuralSchema(spec) },
      status: { description: "What is the case.", ...structuralSchema(status) },
    },
  };
}
