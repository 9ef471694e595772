import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import { LABELS } from "../../../core/api/names.ts";
import { parseQuantity } from "#kit/base/quantity";
import { Fault, isFault } from "#kit/base/fault";
import type { Reading, Volume } from "../../../core/planner/prerequisites/environment.ts";
import type { GrowthRefusal } from "../../../core/planner/view/volume-growth.ts";
import { PersistentVolumeClaims } from "#kit/kube/builtin";
import { isTrue } from "#kit/kube/conditions";
import { faults } from "#kit/kube/faults";
import type { Kube, Ref, Stored } from "#kit/kube/kube";
import { refOf } from "#kit/kube/ref";

/** The claims of the nodes of the cluster that `place` names. */
export async function readVolumes(kube: Kube, place: Required<Ref>): Promise<readonly Volume[]> {
  return (await listClaims(kube, place)).map(volumeOf);
}

/** The volumes, each with the answer of Kubernetes to a request, without effect, to let it grow to `size`; without a size nothing is asked. */
export async function readGrowingVolumes(
  kube: Kube,
  place: Required<Ref>,
  size: string | undefined,
): Promise<Reading<readonly Volume[]>> {
  try {
    const claims = await listClaims(kube, place);
    const value = claims.map(async (claim) => {
      const refusal = size === undefined ? undefined : await growthRefusal(kube, claim, size);
      return { ...volumeOf(claim), refusal };
    });
    return { read: true, value: await Promise.all(value) };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { read: false, why: error.message };
  }
}

/** What Kubernetes has against the growth of the volumes to `size`; undefined when nothing, or when the caller may not ask. */
export async function refusalOfGrowth(
  kube: Kube,
  place: Required<Ref>,
  size: string,
): Promise<GrowthRefusal | undefined> {
  const volumes = await readGrowingVolumes(kube, place, size);
  return volumes.read ? volumes.value.find(({ refusal }) => refusal !== undefined)?.refusal : undefined;
}

/** Asks for more of a claim. */
export async function growClaim(kube: Kube, claim: Ref, size: string, dryRun = false): Promise<void> {
  const body = { spec: { resources: { requests: { storage: size } } } };
  await kube.patch(PersistentVolumeClaims, claim, { type: "merge", body }, { dryRun });
}

async function listClaims(kube: Kube, { name, namespace }: Required<Ref>): Promise<Stored<PersistentVolumeClaim>[]> {
  const labelSelector = `${LABELS.cluster}=${name}`;
  return (await kube.list(PersistentVolumeClaims, { namespace, labelSelector })).items;
}

/** A storage class is outside of any namespace, where the operator may read nothing: a dry run shows the same. */
async function growthRefusal(
  kube: Kube,
  claim: Stored<PersistentVolumeClaim>,
  size: string,
): Promise<GrowthRefusal | undefined> {
  const { metadata, spec } = claim;
  const requested = requestedBy(claim);
  if (parseQuantity(requested) >= parseQuantity(size)) return undefined;
  try {
    await growClaim(kube, refOf(claim), size, true);
    return undefined;
  } catch (error) {
    const refused = (why: string) => ({ claim: metadata.name, storageClass: spec?.storageClassName ?? "", why });
    if (isFault(error, faults.invalid)) return refused(error.message);
    if (!isFault(error, faults.forbidden)) throw error;
    return (await mayPatch(kube, claim, requested)) ? refused(error.message) : undefined;
  }
}

/** Whether it is the growth that is refused, and not every change. */
async function mayPatch(kube: Kube, claim: Stored<PersistentVolumeClaim>, requested: string): Promise<boolean> {
  try {
    await growClaim(kube, refOf(claim), requested, true);
    return true;
  } catch (error) {
    if (isFault(error, faults.forbidden)) return false;
    throw error;
  }
}

function volumeOf(claim: Stored<PersistentVolumeClaim>): Volume {
  const { metadata, status } = claim;
  const failed = status?.conditions?.find(({ type, status: holds }) => FAILURES.includes(type) && holds === "True");
  return {
    name: metadata.name,
    phase: status?.phase ?? "Pending",
    resizing: ["Resizing", "FileSystemResizePending"].some((type) => isTrue(status?.conditions, type)),
    requested: requestedBy(claim),
    capacity: status?.capacity?.["storage"] ?? "",
    problem: failed === undefined ? "" : `${failed.type}: ${failed.message ?? ""}`,
    refusal: undefined,
  };
}

/** What drivers report that cannot do it. */
const FAILURES: readonly string[] = ["ControllerResizeError", "NodeResizeError"];

function requestedBy({ spec }: Stored<PersistentVolumeClaim>): string {
  return spec?.resources?.requests?.["storage"] ?? "0";
}
