import type { ClusterStatus } from "../../api/cluster-status.ts";
import { describeObject } from "../../api/kubectl.ts";
import type { Finding } from "../../api/parts.ts";
import { parseQuantity } from "#kit/base/quantity";
import { wait } from "../findings/finding.ts";
import type { ClusterEnvironment, Volume } from "../prerequisites/environment.ts";
import { nodeOf, type ClusterView, type Workload } from "../view/cluster-view.ts";
import { volumeGrowth } from "../view/volume-growth.ts";
import { act, waitFor, waitUnasked } from "../findings/step.ts";
import type { RollStep } from "./step.ts";
import { wasRunning } from "./state.ts";

/**
 * The next step of giving the volumes the size of the spec, one volume after the other and the StatefulSet last; undefined when
 * there is none. A roll that has begun is finished first, and none begins meanwhile.
 */
export function volumeStep(
  view: ClusterView,
  workload: Workload,
  wanted: string,
  { volumes }: ClusterEnvironment,
): RollStep | undefined {
  const growth = volumeGrowth(view);
  if (growth === undefined || hasBegun(view, workload, wanted)) return undefined;
  if (volumes === undefined) return waitUnasked("VolumeResizing", "the volumes are read");
  if (!volumes.read) return waitUnasked("VolumeResizing", `the volumes cannot be read: ${volumes.why}`);
  const { to: size } = growth;
  const all = volumes.value.toSorted((a, b) => b.name.localeCompare(a.name, "en", { numeric: true }));
  const growing = all.find((volume) => isGrowing(volume));
  if (growing !== undefined) return waitFor(resizingFinding(growing, all, size));
  const next = all.find(({ requested }) => isLess(requested, size));
  if (next !== undefined) {
    return act({ kind: "grow-volume", claim: next.name, size }, `${next.name} grows from ${next.requested} to ${size}`);
  }
  return act(
    { kind: "free-pods" },
    `each volume has ${size}: the StatefulSet is made again with it, and its pods stay`,
  );
}

/** The summary of the volumes for the status; a value that cannot be read at the moment stays as it was. */
export function persistenceOf(
  view: ClusterView,
  { volumes }: ClusterEnvironment,
): Pick<ClusterStatus, "persistenceStatus"> {
  const { workload, remembered, pods } = view;
  const size = workload?.volumes?.size;
  if (workload === undefined || size === undefined) return {};
  const growth = volumeGrowth(view);
  const count = (has: number): string => `${has}/${workload.replicas}`;
  if (growth === undefined) {
    const isMade = wasRunning(view);
    const has = isMade ? workload.replicas : pods.filter(({ containerReady }) => containerReady).length;
    return {
      persistenceStatus: { status: isMade ? "Provisioned" : "Provisioning", succeeded: count(has), volumeSize: size },
    };
  }
  if (volumes?.read !== true) return { persistenceStatus: remembered.persistenceStatus };
  const grown = volumes.value.filter(({ capacity }) => !isLess(capacity, growth.to)).length;
  const isAsked = volumes.value.some(({ requested }) => !isLess(requested, growth.to));
  const isRefused = volumes.value.some(({ refusal, problem }) => refusal !== undefined || problem !== "");
  return {
    persistenceStatus: {
      status: isRefused ? "ResizeFailed" : "Resizing",
      succeeded: count(grown),
      volumeSize: isAsked ? growth.to : growth.from,
    },
  };
}

/** A roll has begun: pods are made from two templates, or a pod is being prepared for the next one. */
function hasBegun(view: ClusterView, workload: Workload, wanted: string): boolean {
  const { pods } = view;
  const isMixed = pods.some(({ revision }) => revision !== workload.updateRevision);
  const isLeft = pods.some((pod) => !pod.inService && nodeOf(view, pod)?.maintenance === true);
  return (
    !workload.observed ||
    isMixed ||
    isLeft ||
    (workload.template !== wanted && pods.some(({ inService }) => !inService))
  );
}

function isGrowing({ requested, capacity, resizing }: Volume): boolean {
  return resizing || isLess(capacity, requested);
}

function isLess(one: string, other: string): boolean {
  return parseQuantity(one) < parseQuantity(other);
}

function resizingFinding(
  { name, requested, capacity, problem }: Volume,
  all: readonly Volume[],
  size: string,
): Finding {
  const grown = all.filter((volume) => !isLess(volume.capacity, size)).length;
  const why = problem === "" ? "" : ` (${problem})`;
  const message = `${grown} of ${all.length} volumes have ${size}; ${name} grows from ${capacity} to ${requested}${why}`;
  return wait("VolumeResizing", message, describeObject(`pvc ${name}`));
}
