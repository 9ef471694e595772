import type { Distribution } from "../../../core/releases/catalogue/distribution.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Option, type Command } from "commander";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import { silentLog } from "#kit/base/log";
import type { StoreEnterpriseCluster } from "../../../core/api/kinds.ts";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { KubeConfig } from "#kit/kube/kubeconfig";
import { faults as kubeFaults } from "#kit/kube/faults";
import type { Kube, Stored } from "#kit/kube/kube";
import { openConnections, type Connections } from "../../../mechanisms/observe/management/connections.ts";
import { Clusters } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import { kubernetesVersion } from "../../../mechanisms/observe/kubernetes/kubernetes-version.ts";
import { reviewPermissions, type Permissions } from "../../../mechanisms/observe/permissions/permissions.ts";
import type { CliContext } from "../console/context.ts";
import { faults } from "../faults.ts";
import { noteDenied, type Denied } from "./denied.ts";
import { refusalForPerson } from "./rights.ts";
import { USER_AGENT } from "../../../core/api/names.ts";

/** Where a command looks, as its options say. */
export interface NamespaceOptions {
  readonly namespace?: string;
  readonly context?: string;
  readonly kubeconfig?: string;
}

/** A namespace of a Kubernetes and the ways into it. */
export interface NamespaceAccess {
  readonly kube: Kube;
  readonly namespace: string;
  readonly connections: Connections;
  /** What the caller may not read, of what was looked at so far. */
  readonly denied: Denied;
  /** The same of what lies around the cluster, which checks alone look at. */
  readonly around: Denied;
  readonly permissions: Permissions;
  readonly clock: Clock;
  readonly kubernetesVersion: () => Promise<Distribution | undefined>;
}

/** `-n`, `--context` and `--kubeconfig`, as kubectl has them. */
export function withNamespaceOptions(command: Command): Command {
  return command
    .addOption(new Option("-n, --namespace <name>", "namespace (default: the context's)"))
    .addOption(new Option("--context <name>", "context of the kubeconfig (default: its current one)"))
    .addOption(new Option("--kubeconfig <file>", "kubeconfig (default: $KUBECONFIG, else ~/.kube/config)"));
}

/** Does `work` at the site that the options name, and closes every connection after it. */
export async function withAccess<T>(
  options: NamespaceOptions,
  context: CliContext,
  work: (access: NamespaceAccess) => Promise<T>,
): Promise<T> {
  const config = configOf(options, context.env);
  const kube = connect(config, { userAgent: USER_AGENT });
  const { clock } = context;
  const denied = noteDenied();
  const around = noteDenied();
  const connections = tolerateDenied(openConnections(kube, clock), denied);
  try {
    const namespace = options.namespace ?? config.namespace;
    return await work({
      kube,
      clock,
      connections,
      denied,
      around,
      namespace,
      permissions: reviewPermissions(around.noting(kube), { namespace, clock, log: silentLog, caller: "another" }),
      kubernetesVersion: kubernetesVersion(kube, clock, silentLog),
    });
  } catch (error) {
    throw await refusalForPerson(error, { kube, namespace: options.namespace ?? config.namespace });
  } finally {
    await connections.close();
    await kube.close();
  }
}

/** The cluster of that name, or the only one of the namespace. */
export async function chosenCluster(
  { kube, namespace }: NamespaceAccess,
  name?: string,
): Promise<Stored<StoreEnterpriseCluster>> {
  const { items } = await kube.list(Clusters, { namespace });
  const names = items.map(({ metadata }) => metadata.name).join(", ");
  const [only] = items;
  if (only === undefined) throw new Fault(faults.noCluster, `namespace ${namespace} has no StoreEnterpriseCluster`);
  const found = name === undefined ? only : items.find(({ metadata }) => metadata.name === name);
  if (found === undefined) {
    throw new Fault(
      faults.noCluster,
      `namespace ${namespace} has no StoreEnterpriseCluster "${name}"; there are: ${names}`,
    );
  }
  if (name === undefined && items.length > 1) {
    throw new Fault(faults.whichCluster, `namespace ${namespace} has several StoreEnterpriseClusters: ${names}`);
  }
  return found;
}

function configOf({ kubeconfig, context }: NamespaceOptions, env: CliContext["env"]): KubeConfig {
  const own = join(env["HOME"] ?? "", ".kube", "config");
  const file = kubeconfig ?? env["KUBECONFIG"] ?? (existsSync(own) ? own : undefined);
  if (file === undefined && env["KUBERNETES_SERVICE_HOST"] === undefined)
    throw new Fault(
      kubeFaults.noConfig,
      "no --kubeconfig is given, KUBECONFIG is not set, and there is no ~/.kube/config",
    );
  return loadKubeConfig({ ...env, KUBECONFIG: file }, undefined, context);
}

/** A user who may not read the secrets sees that in the answer, and sees the rest all the same. */
function tolerateDenied(connections: Connections, denied: Denied): Connections {
  return {
    ...connections,
    to: (cluster, secret) =>
      denied.unless(connections.to(cluster, secret), "you may not read the secrets with the login of the cluster"),
  };
}
