import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The folders of a kubelet. */
export interface KubeletPlaces {
  /** One folder per pod, named by its uid; goes away with it. */
  readonly pods: string;
  /** One folder per persistent volume; stays. */
  readonly persistent: string;
  readonly processes: string;
}

/** The folders below `dir`. */
export function placesBelow(dir: string): KubeletPlaces {
  return { pods: join(dir, "pods"), persistent: join(dir, "volumes"), processes: join(dir, "processes") };
}

/** How a pod's programs reach the API. */
export interface ApiAccess {
  readonly server: string;
  readonly caCertificate: string;
  readonly token: string;
  readonly namespace: string;
}

/** Writes the kubeconfig of a pod, readable by its owner alone, and returns its path. */
export async function writeKubeconfig(podFolder: string, access: ApiAccess): Promise<string> {
  await mkdir(podFolder, { recursive: true, mode: 0o700 });
  const path = join(podFolder, "kubeconfig");
  await writeFile(`${path}.new`, kubeconfig(access), { mode: 0o600 });
  await rename(`${path}.new`, path);
  return path;
}

/** Removes all of a pod's files but its persistent volumes, which are links here. */
export async function removePod(podFolder: string): Promise<void> {
  await rm(podFolder, { recursive: true, force: true });
}

function kubeconfig({ server, caCertificate, token, namespace }: ApiAccess): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "pod",
    clusters: [
      {
        name: "world",
        cluster: { server, "certificate-authority-data": Buffer.from(caCertificate).toString("base64") },
      },
    ],
    users: [{ name: "pod", user: { token } }],
    contexts: [{ name: "pod", context: { cluster: "world", user: "pod", namespace } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
