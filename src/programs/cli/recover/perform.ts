import { LICENSE_KEY, OPERATOR_NAME } from "../../../core/api/names.ts";
import { STORE_VERSIONS } from "../../../core/api/records.ts";
import { assertNever } from "#kit/base/assert-never";
import { Fault } from "#kit/base/fault";
import { visibleLine } from "#kit/base/visible";
import { Deployments, Nodes, Roles, Secrets, ValidatingWebhookConfigurations } from "#kit/kube/builtin";
import { applyManifest } from "#kit/kube/manifest";
import type { ManagementClient } from "../../../ports/management/client.ts";
import { Clusters, Databases } from "../../../mechanisms/observe/kubernetes/kinds.ts";
import type { RecoveryAct } from "../../../core/planner/recovery/recovery.ts";
import type { CliContext } from "../console/context.ts";
import { faults } from "../faults.ts";
import { bundleLikeInstalled } from "../access/installed-operator.ts";
import { uploadToNodes } from "../modules/upload.ts";
import type { NamespaceAccess } from "../access/namespace-access.ts";
import { renewWebhook } from "./renew-webhook.ts";
import type { Supplies } from "./supplies.ts";

export interface RecoveryDeps {
  readonly access: NamespaceAccess;
  /** Name of the cluster. */
  readonly cluster: string;
  /** Absent while the cluster cannot be asked. */
  readonly client: ManagementClient | undefined;
  readonly supplies: Supplies;
  readonly talk: CliContext & { readonly signal: AbortSignal | undefined };
}

/** Does one thing; what it asks of the cluster it follows to the end, so that what comes after rests on it. */
export async function performAct(deps: RecoveryDeps, act: RecoveryAct): Promise<unknown> {
  const { access, cluster, supplies, talk } = deps;
  const { kube, namespace } = access;
  switch (act.kind) {
    case "patch-cluster":
      return kube.patch(Clusters, { name: cluster, namespace }, { type: "merge", body: { spec: act.spec } });
    case "patch-database": {
      const storeVersion = STORE_VERSIONS.find((version) => version === act.storeVersion);
      return kube.patch(Databases, { name: act.name, namespace }, { type: "merge", body: { spec: { storeVersion } } });
    }
    case "upgrade-database":
      return upgradeDatabase(deps, act);
    case "upload-module":
      return uploadToNodes(clientOf(deps), supplies.archives.get(act.file) ?? new Blob([]), talk.clock);
    case "install-license":
      return clientOf(deps).call("installLicense", { body: { license: supplies.license } });
    case "write-license":
      return writeLicense(deps, act.secret);
    case "end-maintenance":
      return clientOf(deps).call("maintenanceOff", { params: { uid: act.uid } });
    case "restore-record":
      return clientOf(deps).call("restoreRecord", { params: { uid: act.uid } });
    case "patch-role":
      return patchRole(access, act);
    case "apply-bundle":
      return applyManifest(kube, await bundleLikeInstalled(access, act.release, act.kinds), namespace, "storectl");
    case "delete-webhook":
      return kube.delete(ValidatingWebhookConfigurations, { name: act.name });
    case "renew-webhook":
      return renewWebhook(access, act.name);
    case "restart-operator":
      return restartOperator(access, talk.clock.now());
    case "uncordon":
      return kube.patch(Nodes, { name: act.worker }, { type: "merge", body: { spec: { unschedulable: null } } });
    case "await-recovery":
      return awaitRecovery(deps);
    default:
      return assertNever(act);
  }
}

/** Follows the recovery to its end, and says each state of the cluster on the way. */
async function awaitRecovery({ access: { kube, namespace }, cluster, talk }: RecoveryDeps): Promise<void> {
  let reported = "";
  for (;;) {
    const rec = await kube.get(Clusters, { name: cluster, namespace });
    const { state = "", recovery, conditions } = rec?.status ?? {};
    const doing = conditions?.find(({ type }) => type === "Progressing")?.message ?? "";
    const line = `${state}: ${doing}`;
    if (line !== reported) talk.print(`     ${visibleLine(line)}\n`);
    reported = line;
    if (rec?.spec.clusterRecovery !== true && recovery?.finishedAt !== undefined) return;
    await talk.clock.sleep(LOOK_EVERY_MS, talk.signal).catch((error: unknown) => {
      throw new Fault(faults.interrupted, `stopped looking at the recovery of ${cluster}, which goes on`, {}, error);
    });
  }
}

function patchRole(
  { kube }: NamespaceAccess,
  { role: name, namespace, operations }: Extract<RecoveryAct, { readonly kind: "patch-role" }>,
): Promise<unknown> {
  return kube.patch(Roles, { name, namespace }, { type: "json", operations });
}

/** As `kubectl rollout restart` does it. */
function restartOperator({ kube, namespace }: NamespaceAccess, now: Date): Promise<unknown> {
  const annotations = { "kubectl.kubernetes.io/restartedAt": now.toISOString() };
  const body = { spec: { template: { metadata: { annotations } } } };
  return kube.patch(Deployments, { name: OPERATOR_NAME, namespace }, { type: "merge", body });
}

function clientOf({ client, cluster }: RecoveryDeps): ManagementClient {
  if (client !== undefined) return client;
  throw new Fault(faults.clusterSilent, `cluster ${cluster} cannot be asked: there is no way to its management API`);
}

const LOOK_EVERY_MS = 300;

/** The object is written only once the database is there: until then it would say what is not the case. */
async function upgradeDatabase(
  deps: RecoveryDeps,
  { uid, to, name }: Extract<RecoveryAct, { readonly kind: "upgrade-database" }>,
): Promise<void> {
  const client = clientOf(deps);
  const { clock, signal, print } = deps.talk;
  const asked = await client.call("upgradeBdb", { params: { uid }, body: { store_version: to } });
  let reported = "";
  for (;;) {
    const { status, redis_version, waiting_for, action_uid } = await client.call("bdb", { params: { uid } });
    if (status === "active" && redis_version === to) return;
    // a node that does not know of it yet reports an earlier action
    if (status === "active" && action_uid === asked.action_uid)
      throw new Fault(faults.recoveryFailed, `the upgrade of "${name}" to ${to} ended, and it is at ${redis_version}`);
    if (waiting_for !== reported && waiting_for !== "") print(`     ${visibleLine(waiting_for)}\n`);
    reported = waiting_for;
    await clock.sleep(LOOK_EVERY_MS, signal).catch((error: unknown) => {
      throw new Fault(faults.interrupted, `stopped looking at the upgrade of "${name}" to ${to}`, {}, error);
    });
  }
}

async function writeLicense({ access, cluster, supplies }: RecoveryDeps, secret: string | undefined): Promise<unknown> {
  const { kube, namespace } = access;
  if (secret === undefined) {
    const body = { spec: { license: supplies.license } };
    return kube.patch(Clusters, { name: cluster, namespace }, { type: "merge", body });
  }
  const data = { [LICENSE_KEY]: Buffer.from(supplies.license).toString("base64") };
  return kube.apply(
    Secrets,
    { metadata: { name: secret, namespace }, data },
    { fieldManager: "storectl", force: true },
  );
}
