import type { PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { isFault } from "../../../controller-kit/src/base/fault.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../../controller-kit/src/kube/builtin.ts";
import { faults } from "../../../controller-kit/src/kube/faults.ts";
import type { Kube, Stored, Wanted } from "../../../controller-kit/src/kube/kube.ts";
import { isOver } from "../../../controller-kit/src/kube/pods.ts";
import { keyOf, refOf, refOfKey } from "../../../controller-kit/src/kube/ref.ts";
import { AT_REST, type Outcome } from "../../../controller-kit/src/reconcile/outcome.ts";
import type { ControllerDefinition, ControllerContext } from "./context/context.ts";
import { enqueueChanged } from "./context/informers.ts";
import { writeStatus } from "./objects/write-status.ts";
import { boundStatus, grownVolume } from "./volume-growth.ts";

/** The storage class of volumes that are folders on this machine; claims that name no class get it. */
const LOCAL_CLASS = "local";

/** Gives each claim a volume of its own, and takes the volume away with the claim. */
export function volumeBinder(context: ControllerContext): ControllerDefinition {
  const { claims, volumes, pods } = context.informers;
  return {
    name: "volume",
    reconcile: (key) => reconcile(context, key),
    wire: (enqueue) => {
      enqueueChanged(claims, enqueue);
      volumes.onChange((_, current, previous) => {
        const claim = (current ?? previous)?.spec?.claimRef;
        if (claim?.name !== undefined) enqueue(keyOf({ name: claim.name, namespace: claim.namespace ?? "" }));
      });
      pods.onChange((ref, current, previous) => {
        for (const name of claimNames(current ?? previous)) enqueue(keyOf({ ...ref, name }));
      });
    },
  };
}

async function reconcile(context: ControllerContext, key: string): Promise<Outcome> {
  const ref = refOfKey(key);
  const claim = await context.kube.get(PersistentVolumeClaims, ref);
  await removeVolumes(context, ref, claim?.metadata.uid);
  if (claim === undefined) return AT_REST;
  await (claim.metadata.deletionTimestamp === undefined ? bind(context, claim) : unprotect(context, claim));
  return AT_REST;
}

async function bind(context: ControllerContext, claim: Stored<PersistentVolumeClaim>): Promise<void> {
  const { kube } = context;
  const name = claim.spec?.volumeName ?? `pvc-${claim.metadata.uid}`;
  const existing = await kube.get(PersistentVolumes, { name });
  if (existing === undefined && claim.spec?.volumeName !== undefined) return; // the user's own volume is awaited
  const volume = existing ?? (await kube.create(PersistentVolumes, volumeFor(claim, name)));
  await writeStatus(kube, PersistentVolumes, volume, { ...volume, status: { ...volume.status, phase: "Bound" } });
  const bound =
    claim.spec?.volumeName === name
      ? claim
      : await kube.patch(PersistentVolumeClaims, refOf(claim), { type: "merge", body: bindingTo(name, claim) });
  const grown = await grownVolume(kube, volume, bound);
  await writeStatus(kube, PersistentVolumeClaims, bound, {
    ...bound,
    status: boundStatus(bound, grown, isUsed(context, bound), context.clock.now()),
  });
}

function bindingTo(volumeName: string, claim: Stored<PersistentVolumeClaim>): object {
  const annotations = { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" };
  return {
    metadata: { annotations },
    spec: { volumeName, storageClassName: claim.spec?.storageClassName ?? LOCAL_CLASS },
  };
}

function volumeFor(claim: Stored<PersistentVolumeClaim>, name: string): Wanted<PersistentVolume> {
  const { namespace = "", uid, resourceVersion } = claim.metadata;
  const {
    accessModes = ["ReadWriteOnce"],
    resources,
    storageClassName = LOCAL_CLASS,
    volumeMode = "Filesystem",
  } = claim.spec ?? {};
  return {
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
    spec: {
      capacity: { storage: resources?.requests?.["storage"] ?? "1Gi" },
      accessModes,
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName,
      volumeMode,
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        name: claim.metadata.name,
        namespace,
        uid,
        resourceVersion,
      },
      csi: { driver: PROVISIONER, volumeHandle: name },
    },
  };
}

/** The driver that each volume names; the kubelet creates the folder of a volume under the name of the volume. */
const PROVISIONER = "folder.local-kubernetes";

/** Makes the class known, unless it is: users see that its volumes may grow, and may forbid it. */
export async function introduceClass(kube: Kube): Promise<void> {
  const wanted: Wanted<StorageClass> = {
    metadata: { name: LOCAL_CLASS, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: PROVISIONER,
    allowVolumeExpansion: true,
  };
  try {
    await kube.create(StorageClasses, wanted);
  } catch (error) {
    if (!isFault(error, faults.alreadyExists)) throw error; // it is kept from an earlier start
  }
}

const PROTECTION = "kubernetes.io/pvc-protection";

/** Lets a deleted claim go once no pod has it any more. */
async function unprotect(context: ControllerContext, claim: Stored<PersistentVolumeClaim>): Promise<void> {
  const { finalizers = [], resourceVersion } = claim.metadata;
  if (isUsed(context, claim) || !finalizers.includes(PROTECTION)) return;
  const body = {
    metadata: { resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== PROTECTION) },
  };
  await context.kube.patch(PersistentVolumeClaims, refOf(claim), { type: "merge", body });
}

function isUsed({ informers }: ControllerContext, { metadata }: Stored<PersistentVolumeClaim>): boolean {
  const uses = (pod: Stored<Pod>): boolean =>
    pod.metadata.namespace === metadata.namespace && !isOver(pod) && claimNames(pod).includes(metadata.name);
  return informers.pods.list().some(uses);
}

/** Removes volumes that were made for a claim of this name that is gone; those with another policy are only released. */
async function removeVolumes(
  { kube, informers }: ControllerContext,
  ref: { name: string; namespace?: string },
  livingUid: string | undefined,
): Promise<void> {
  const left = informers.volumes.list().filter(({ spec }) => {
    const claim = spec?.claimRef;
    return (
      claim?.name === ref.name &&
      claim.namespace === ref.namespace &&
      claim?.uid !== undefined &&
      claim.uid !== livingUid
    );
  });
  for (const volume of left) {
    if (volume.spec?.persistentVolumeReclaimPolicy === "Delete") await kube.delete(PersistentVolumes, refOf(volume));
    else
      await writeStatus(kube, PersistentVolumes, volume, {
        ...volume,
        status: { ...volume.status, phase: "Released" },
      });
  }
}

function claimNames(
  pod:
    { readonly spec?: { readonly volumes?: readonly { persistentVolumeClaim?: { claimName: string } }[] } } | undefined,
): string[] {
  return (pod?.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
