import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
  PersistentVolumeClaimStatus,
} from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../../controller-kit/src/base/quantity.ts";
import { PersistentVolumes } from "../../../controller-kit/src/kube/builtin.ts";
import type { Kube, Stored } from "../../../controller-kit/src/kube/kube.ts";
import { refOf } from "../../../controller-kit/src/kube/ref.ts";
import { timestamp } from "../../../controller-kit/src/kube/timestamp.ts";

/** The volume of a bound claim, once it has as much as the claim asks for. */
export async function grownVolume(
  kube: Kube,
  volume: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim>,
): Promise<Stored<PersistentVolume>> {
  const wanted = claim.spec?.resources?.requests?.["storage"];
  if (wanted === undefined || parseQuantity(wanted) <= parseQuantity(volume.spec?.capacity?.["storage"] ?? "0")) {
    return volume;
  }
  const body = { spec: { capacity: { storage: wanted } } };
  return kube.patch(PersistentVolumes, refOf(volume), { type: "merge", body });
}

/**
 * What a bound claim says of itself. As with drivers that resize a file system while it is mounted, a grown volume has its
 * new capacity once a pod uses it, and says until then what it waits for.
 */
export function boundStatus(
  { status }: Stored<PersistentVolumeClaim>,
  { spec }: Stored<PersistentVolume>,
  isMounted: boolean,
  now: Date,
): PersistentVolumeClaimStatus {
  const { accessModes = [], capacity = {} } = spec ?? {};
  const { conditions = [], ...rest } = status ?? {};
  const bound = { ...rest, phase: "Bound", accessModes };
  const others = conditions.filter(({ type }) => type !== PENDING);
  const has = parseQuantity(status?.capacity?.["storage"] ?? "0");
  const isGrown = has === 0 || has >= parseQuantity(capacity["storage"] ?? "0");
  if (isGrown || isMounted) return { ...bound, capacity, ...(others.length === 0 ? {} : { conditions: others }) };
  const known = conditions.find(({ type }) => type === PENDING);
  return {
    ...bound,
    ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
    conditions: [...others, known ?? pendingCondition(now)],
  };
}

const PENDING = "FileSystemResizePending";

function pendingCondition(now: Date): PersistentVolumeClaimCondition {
  return {
    type: PENDING,
    status: "True",
    lastTransitionTime: timestamp(now),
    message: "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
  };
}
