import { join } from "node:path";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { PersistentVolumeClaims } from "../../../../controller-kit/src/kube/builtin.ts";
import type { Kube, Stored } from "../../../../controller-kit/src/kube/kube.ts";
import type { AddressPool } from "../node/addresses.ts";
import type { LaunchPad } from "../container/launch.ts";
import { machineCapacity } from "../node/register.ts";
import type { KubeletPlaces } from "./places.ts";
import { writeKubeconfig } from "./places.ts";
import type { ProcessTable } from "../container/process-table.ts";
import { configSourcesOf } from "../environment/config-sources.ts";
import { prepareVolumes } from "../volume/volumes.ts";

/** What a pod is set up with. */
export interface SetupDeps {
  readonly kube: Kube;
  readonly nodeName: string;
  readonly hostIP: string;
  readonly places: KubeletPlaces;
  readonly addresses: AddressPool;
  readonly processes: ProcessTable;
  readonly serviceAccountToken: (namespace: string, name: string) => Promise<string>;
  readonly apiServerUrl: string;
  readonly caCertificate: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The folder of a pod, for everything that goes away with it. */
export function podFolder(places: KubeletPlaces, pod: Stored<Pod>): string {
  return join(places.pods, pod.metadata.uid);
}

/**
 * Gives a pod its address, its way to the API and its volumes; done again, it refreshes the files.
 * KUBELET_VOLUME_NOT_READY while something that a volume refers to is missing.
 */
export async function setUpPod(pod: Stored<Pod>, deps: SetupDeps): Promise<LaunchPad> {
  const namespace = pod.metadata.namespace ?? "default";
  const token = (): Promise<string> => deps.serviceAccountToken(namespace, pod.spec?.serviceAccountName ?? "default");
  const pad: LaunchPad = {
    facts: {
      pod,
      podIP: deps.addresses.addressOf(pod.metadata.uid),
      hostIP: deps.hostIP,
      nodeName: deps.nodeName,
      capacity: machineCapacity(),
    },
    sources: configSourcesOf(deps.kube, namespace),
    places: {
      podFolder: podFolder(deps.places, pod),
      persistentFolder: deps.places.persistent,
      claim: (name) => deps.kube.get(PersistentVolumeClaims, { name, namespace }),
    },
    environment: await apiEnvironment(pod, namespace, await token(), deps),
    processes: deps.processes,
    clock: deps.clock,
    log: deps.log,
  };
  await prepareVolumes(pod.spec ?? { containers: [] }, pad.places, { facts: pad.facts, sources: pad.sources, token });
  return pad;
}

async function apiEnvironment(
  pod: Stored<Pod>,
  namespace: string,
  token: string,
  { places, apiServerUrl, caCertificate }: SetupDeps,
): Promise<Readonly<Record<string, string>>> {
  const access = { server: apiServerUrl, caCertificate, token, namespace };
  const { hostname, port } = new URL(apiServerUrl);
  return {
    KUBECONFIG: await writeKubeconfig(podFolder(places, pod), access),
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port === "" ? "443" : port,
  };
}
