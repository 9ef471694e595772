import { lstat, mkdir, readlink, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Container, PersistentVolumeClaim, PodSpec, Volume } from "kubernetes-types/core/v1.js";
import { Fault } from "../../../../controller-kit/src/base/fault.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { assertInside, writeAtomically } from "./atomic-folder.ts";
import { expand } from "../environment/environment.ts";
import type { ProcessEnvironment } from "../environment/environment.ts";
import { faults } from "../faults.ts";
import { filesOfVolume } from "./volume-files.ts";
import type { VolumeInputs } from "./volume-files.ts";
import { unlessMissing } from "../../../../controller-kit/src/files/unless-missing.ts";

/** Where volumes live on this machine. */
export interface VolumePlaces {
  /** Of one pod; goes away with it. */
  readonly podFolder: string;
  /** One folder per persistent volume; stays. */
  readonly persistentFolder: string;
  readonly claim: (name: string) => Promise<Stored<PersistentVolumeClaim> | undefined>;
}

/**
 * Creates or refreshes the volumes of a pod; KUBELET_VOLUME_NOT_READY while something that they refer to is missing.
 * Called again when a Secret or ConfigMap changes: readers then see the new files all at once.
 */
export async function prepareVolumes(spec: PodSpec, places: VolumePlaces, inputs: VolumeInputs): Promise<void> {
  for (const volume of spec.volumes ?? []) {
    const files = await filesOfVolume(volume, inputs);
    if (files === undefined) await mkdir(await folderOf(volume, places), { recursive: true, mode: 0o700 });
    else await writeAtomically(generatedFolder(volume, places), files);
  }
}

/** Lays the mounts of a container out below `root`, as links to the volumes. */
export async function mountVolumes(
  container: Container,
  spec: PodSpec,
  root: string,
  places: VolumePlaces,
  env: ProcessEnvironment,
): Promise<void> {
  await mkdir(root, { recursive: true });
  // a mount inside another one must find it in place
  for (const mount of (container.volumeMounts ?? []).toSorted((a, b) => a.mountPath.length - b.mountPath.length)) {
    const volume = spec.volumes?.find(({ name }) => name === mount.name);
    if (volume === undefined) throw notReady(`volume "${mount.name}" of container ${container.name} is not defined`);
    const source = await folderOf(volume, places);
    const subPath = mount.subPathExpr === undefined ? (mount.subPath ?? "") : expand(mount.subPathExpr, env);
    assertInside(join(".", mount.mountPath));
    await link(join(root, mount.mountPath), subPath === "" ? source : await within(source, subPath));
  }
}

async function folderOf(volume: Volume, places: VolumePlaces): Promise<string> {
  const claimName = volume.persistentVolumeClaim?.claimName;
  if (claimName === undefined) return generatedFolder(volume, places);
  const claim = await places.claim(claimName);
  if (claim === undefined) throw notReady(`persistentvolumeclaim "${claimName}" not found`);
  const persistent = claim.spec?.volumeName ?? "";
  if (persistent === "") throw notReady(`pod has unbound immediate PersistentVolumeClaims: ${claimName}`);
  return join(places.persistentFolder, persistent);
}

function generatedFolder(volume: Volume, places: VolumePlaces): string {
  const { name, emptyDir, secret, configMap, downwardAPI, projected } = volume;
  if ((emptyDir ?? secret ?? configMap ?? downwardAPI ?? projected) === undefined) {
    throw new Fault(faults.volumeUnsupported, `volume "${name}" has a type that pods as processes cannot have`, {
      name,
    });
  }
  return join(places.podFolder, "volumes", name);
}

async function within(source: string, subPath: string): Promise<string> {
  assertInside(subPath);
  const path = join(source, subPath);
  const there = await unlessMissing(stat(path)); // absent: made below, as a container runtime does
  if (there === undefined) await mkdir(path, { recursive: true });
  return path;
}

async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const old = await unlessMissing(lstat(path)); // absent: nothing to replace
  if (old?.isSymbolicLink() === true && (await readlink(path)) === target) return;
  if (old !== undefined) await rm(path, { recursive: true });
  await symlink(target, path);
}

function notReady(message: string): Fault {
  return new Fault(faults.volumeNotReady, message);
}
