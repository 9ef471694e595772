import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.js";
import type { StorageClass } from "kubernetes-types/storage/v1.js";
import { PersistentVolumeClaims, PersistentVolumes } from "#kit/kube/builtin";
import type { Informer } from "#kit/kube/informer";
import type { Kube, ResourceType, Stored, Wanted } from "#kit/kube/kube";
import { keyOf, refOfKey } from "#kit/kube/ref";
import type { Controller } from "#kit/reconcile/controller";
import { AT_REST, type Outcome } from "#kit/reconcile/outcome";

const PROVISIONER = "test.storeenterprise.io/folder";

/** `local` volumes stay with the node that their first pod came to, `shared` ones follow their pod anywhere. */
export const STORAGE_CLASSES: readonly Wanted<StorageClass>[] = [
  storageClass("local", true),
  storageClass("shared", false),
];

export const StorageClasses: ResourceType<StorageClass> = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  namespaced: false,
};

/** Makes a folder in `volumes` and a volume for the claim with this key, once a node is chosen; the kubelets see the same folders. */
export async function provide(kube: Kube, volumes: string, key: string): Promise<Outcome> {
  const claim = await kube.get(PersistentVolumeClaims, refOfKey(key));
  if (claim === undefined || claim.spec?.volumeName !== undefined) return AT_REST;
  const annotations = claim.metadata.annotations ?? {};
  const node = annotations["volume.kubernetes.io/selected-node"];
  if (annotations["volume.kubernetes.io/storage-provisioner"] !== PROVISIONER || node === undefined) return AT_REST;
  const name = `pvc-${claim.metadata.uid}`;
  if ((await kube.get(PersistentVolumes, { name })) !== undefined) return AT_REST;
  const path = join(volumes, name);
  await mkdir(path, { recursive: true });
  await chmod(path, 0o777); // programs of pods are not root
  await kube.create(PersistentVolumes, volumeFor(claim, name, path, node));
  return AT_REST;
}

/** Removes a volume and its folder when its claim is gone. */
export async function takeBack(kube: Kube, volumes: string, key: string): Promise<Outcome> {
  const volume = await kube.get(PersistentVolumes, refOfKey(key));
  const isOurs = volume?.metadata.annotations?.["pv.kubernetes.io/provisioned-by"] === PROVISIONER;
  if (volume === undefined || !isOurs || volume.status?.phase !== "Released") return AT_REST;
  if (volume.spec?.persistentVolumeReclaimPolicy !== "Delete") return AT_REST;
  await rm(join(volumes, volume.metadata.name), { recursive: true, force: true });
  await kube.delete(PersistentVolumes, { name: volume.metadata.name });
  return AT_REST;
}

/** Asks for a pass over everything that changes. */
export function enqueueAll<T>(informer: Informer<T>, controller: Controller): void {
  informer.onChange((ref) => {
    controller.enqueue(keyOf(ref));
  });
}

function volumeFor(
  claim: Stored<PersistentVolumeClaim>,
  name: string,
  path: string,
  node: string,
): Wanted<PersistentVolume> {
  const { namespace = "", uid, resourceVersion } = claim.metadata;
  const storageClassName = claim.spec?.storageClassName ?? "local";
  const hostname = { key: "kubernetes.io/hostname" };
  const where =
    storageClassName === "local"
      ? { ...hostname, operator: "In", values: [node] }
      : { ...hostname, operator: "Exists" };
  return {
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: claim.spec?.accessModes ?? ["ReadWriteOnce"],
      volumeMode: "Filesystem",
      persistentVolumeReclaimPolicy: "Delete",
      storageClassName,
      claimRef: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace,
        name: claim.metadata.name,
        uid,
        resourceVersion,
      },
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [where] }] } },
    },
  };
}

function storageClass(name: string, isDefault: boolean): Wanted<StorageClass> {
  const annotations = { "storageclass.kubernetes.io/is-default-class": String(isDefault) };
  return {
    metadata: { name, annotations },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
  };
}
