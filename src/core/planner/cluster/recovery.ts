import { assertNever } from "#kit/base/assert-never";
import type { ClusterView, NodePod } from "../view/cluster-view.ts";
import { isOverdue } from "../view/overdue.ts";
import { recoveryPhase } from "./recovery-phase.ts";
import { stuckPod } from "./stuck-pod.ts";
import { returnStep } from "./service.ts";
import { act, waitFor, waitUnasked } from "../findings/step.ts";
import type { RollStep } from "./step.ts";

/** How long a node of a lost cluster may take to end, in seconds. */
const GRACE_SECONDS = 30;

/** The next step of the recovery of a cluster; undefined when none is asked for. Each is derived from what is observed. */
export function recoveryStep(view: ClusterView): RollStep | undefined {
  const phase = recoveryPhase(view);
  switch (phase) {
    case undefined:
      return undefined;
    case "begin":
      return waitUnasked("RecoveryBegins", "spec.clusterRecovery is true");
    case "reset":
      return resetStep(view);
    case "first":
      return waitUnasked("RecoveringFirstPod", `no node is active yet${troubles(view)}`);
    case "joining":
      return waitUnasked("NodeJoining", `nodes are on their way back${troubles(view)}`);
    case "databases":
      return databasesStep(view);
    case "end":
      return act({ kind: "end-recovery" }, "nodes and databases are back");
    default:
      return assertNever(phase);
  }
}

/**
 * How long a pod of a lost cluster may take to end, in seconds: 0 when no kubelet ends it any more, undefined when it is due
 * soon and nothing has to be done.
 */
export function deletionGrace(pod: NodePod): number | undefined {
  const { endsInMs } = pod;
  if (endsInMs === undefined || endsInMs > GRACE_SECONDS * 1_000) return GRACE_SECONDS;
  return isOverdue(pod) ? 0 : undefined;
}

function resetStep(view: ClusterView): RollStep {
  const listed = view.remembered.recovery?.pods ?? [];
  const old = view.pods.filter(({ id }) => listed.includes(id));
  const due = old.filter((pod) => deletionGrace(pod) !== undefined);
  const names = (pods: readonly NodePod[]): string => pods.map(({ ordinal }) => `${view.name}-${ordinal}`).join(", ");
  const stuck = old.map((pod) => stuckPod(view, pod)).find((found) => found !== undefined);
  if (due.length === 0)
    return stuck === undefined ? waitUnasked("PodsEnding", `pods are ending: ${names(old)}`) : waitFor(stuck);
  return act({ kind: "delete-pods", pods: due }, `lost nodes are made again: ${names(due)}`);
}

/** Lets each database come back without the data that is gone: `spec.clusterRecovery` is the consent. */
function databasesStep(view: ClusterView): RollStep {
  const databases = view.cluster.reachable ? view.cluster.databases : [];
  const asking = databases.find(({ needsConsent }) => needsConsent);
  if (asking !== undefined) {
    const { uid, name, waitingFor } = asking;
    return act({ kind: "recover-database", uid, name }, `${waitingFor}; spec.clusterRecovery agrees`);
  }
  const step = returnStep(view);
  if (step.kind !== "rest") return step;
  const away = databases.filter(({ status }) => status === "recovery");
  return waitUnasked(
    "DatabasesRecovering",
    `in recovery: ${away.map(({ name, waitingFor }) => `"${name}"${waitingFor && ` (${waitingFor})`}`).join(", ")}`,
  );
}

function troubles({ name, pods }: ClusterView): string {
  const each = pods.filter(({ trouble }) => trouble !== "").map((pod) => `; ${name}-${pod.ordinal}: ${pod.trouble}`);
  return each.join("");
}
