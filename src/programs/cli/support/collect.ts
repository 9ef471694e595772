import type { Pod } from "kubernetes-types/core/v1.js";
import { APP_LABEL, LABELS } from "../../../core/api/names.ts";
import { Fault, messageOf } from "#kit/base/fault";
import * as kinds from "#kit/kube/builtin";
import type { ResourceType, Stored } from "#kit/kube/kube";
import type { ManagementClient } from "../../../ports/management/client.ts";
import {
  ActiveActiveDatabases,
  Clusters,
  Databases,
  Backups,
  BackupSchedules,
  RemoteClusters,
  Restores,
} from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { secretOutline, secretValues } from "./secrets.ts";

/** What was found, not yet redacted. */
export interface Collection {
  readonly files: readonly CollectedFile[];
  /** What could not be looked at, with the reason. */
  readonly missing: readonly string[];
  /** Values that must appear nowhere. */
  readonly secrets: readonly string[];
}

/** A value is redacted field by field and written as YAML, a text as it is. */
export interface CollectedFile {
  readonly path: string;
  readonly value: unknown;
}

/** Everything of a cluster and around it that helps to understand what happened; data of databases is never read. */
export async function collect(access: NamespaceAccess, client: ManagementClient | undefined): Promise<Collection> {
  const missing: string[] = [];
  const attempt: Attempt = async (what, work, absent) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      missing.push(`${what}: ${messageOf(error)}`);
      return absent;
    }
  };
  const { kube, namespace } = access;
  const secrets = await attempt("secrets", async () => (await kube.list(kinds.Secrets, { namespace })).items, []);
  const outline = { path: "objects/secrets.yaml", value: secrets.map(secretOutline) };
  const objects = await objectFiles(access, attempt);
  const records = client === undefined ? [] : await recordFiles(client, attempt);
  if (client === undefined) missing.push("management API: the cluster cannot be asked");
  const logs = await logFiles(access, attempt);
  return { files: [...objects, outline, ...records, ...logs], missing, secrets: secretValues(secrets) };
}

type Attempt = <T>(what: string, work: () => Promise<T>, absent: T) => Promise<T>;

/** What carries the label of the product. */
const LABELED = { labelSelector: `${LABELS.app}=${APP_LABEL}` };

async function objectFiles({ kube, namespace }: NamespaceAccess, attempt: Attempt): Promise<readonly CollectedFile[]> {
  const of = <T>(name: string, type: ResourceType<T>, where: object) => ({
    name,
    list: async (): Promise<readonly unknown[]> => (await kube.list(type, where)).items,
  });
  const lists = [
    of("clusters", Clusters, { namespace }),
    of("databases", Databases, { namespace }),
    of("active-active", ActiveActiveDatabases, { namespace }),
    of("remote-clusters", RemoteClusters, { namespace }),
    of("backups", Backups, { namespace }),
    of("backup-schedules", BackupSchedules, { namespace }),
    of("restores", Restores, { namespace }),
    of("events", kinds.Events, { namespace }),
    of("leases", kinds.Leases, { namespace }),
    of("volumes", kinds.PersistentVolumeClaims, { namespace }),
    of("network-policies", kinds.NetworkPolicies, { namespace }),
    of("statefulsets", kinds.StatefulSets, { namespace, ...LABELED }),
    of("deployments", kinds.Deployments, { namespace, ...LABELED }),
    of("pods", kinds.Pods, { namespace, ...LABELED }),
    of("services", kinds.Services, { namespace, ...LABELED }),
    of("endpoint-slices", kinds.EndpointSlices, { namespace, ...LABELED }),
    of("records", kinds.ConfigMaps, { namespace, ...LABELED }),
    of("roles", kinds.Roles, { namespace, ...LABELED }),
    of("role-bindings", kinds.RoleBindings, { namespace, ...LABELED }),
    of("disruption-budgets", kinds.PodDisruptionBudgets, { namespace, ...LABELED }),
    of("workers", kinds.Nodes, {}),
    of("webhooks", kinds.ValidatingWebhookConfigurations, {}),
  ];
  const files: CollectedFile[] = [];
  for (const { name, list } of lists) {
    const value = await attempt(name, list, []);
    if (value.length > 0) files.push({ path: `objects/${name}.yaml`, value });
  }
  return files;
}

const ROUTES = ["cluster", "nodes", "bdbs", "shards", "modules", "license", "actions"] as const;

async function recordFiles(client: ManagementClient, attempt: Attempt): Promise<readonly CollectedFile[]> {
  const files: CollectedFile[] = [];
  for (const route of ROUTES) {
    const value = await attempt<unknown>(`management API ${route}`, () => client.call(route), undefined);
    if (value !== undefined) files.push({ path: `management/${route}.yaml`, value });
  }
  return files;
}

/** As much of a log as is kept, in lines and bytes, and of how many pods. */
const MOST = { lines: 2_000, bytes: 1 << 20, pods: 60 } as const;

async function logFiles({ kube, namespace }: NamespaceAccess, attempt: Attempt): Promise<readonly CollectedFile[]> {
  const list = async (): Promise<readonly Stored<Pod>[]> =>
    (await kube.list(kinds.Pods, { namespace, ...LABELED })).items;
  const pods = (await attempt("pods for their logs", list, [])).slice(0, MOST.pods);
  const files: CollectedFile[] = [];
  for (const { name, container, before } of pods.flatMap(containersOf)) {
    const query = `container=${container}&tailLines=${MOST.lines}&limitBytes=${MOST.bytes}${before ? "&previous=true" : ""}`;
    const url = `/api/v1/namespaces/${namespace}/pods/${name}/log?${query}`;
    const value = await attempt(`log of ${name}, ${container}`, () => kube.raw("GET", url), "");
    if (value !== "") files.push({ path: `logs/${name}_${container}${before ? "_before" : ""}.log`, value });
  }
  return files;
}

/** Each container, and the one before it where it was started again. */
function containersOf({ metadata: { name }, status }: Stored<Pod>) {
  return (status?.containerStatuses ?? []).flatMap(({ name: container, restartCount }) => [
    { name, container, before: false },
    ...(restartCount > 0 ? [{ name, container, before: true }] : []),
  ]);
}
