import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Identities } from "../control-plane/identities.ts";
import { CENTER_ADDRESS, type NodePlace } from "./addressing.ts";
import { CONTAINERD_SOCKET, writeContainerdConfig } from "./containerd.ts";

/** What the configuration of a node is made from. */
export interface NodeSetup {
  readonly place: NodePlace;
  /** Folder that is the node's disk. */
  readonly disk: string;
  /** Folder of the programs. */
  readonly assets: string;
  readonly identities: Identities;
  /** Control group that the node's pods lie in. */
  readonly cgroup: string;
}

/** Paths of the configuration files of a node. */
export interface NodeFiles {
  readonly containerd: string;
  readonly kubelet: string;
}

/** Writes the configuration of a node's programs. */
export function writeNodeConfig(setup: NodeSetup): NodeFiles {
  const folder = join(setup.disk, "etc");
  const network = join(folder, "network");
  mkdirSync(network, { recursive: true });
  writeFileSync(join(network, "10-pods.conflist"), JSON.stringify(networkConfig(setup)));
  const files = { containerd: writeContainerdConfig(setup, network), kubelet: join(folder, "kubelet.yaml") };
  writeFileSync(files.kubelet, stringify(kubeletConfig(setup)));
  return files;
}

/** Every pod has a cable of its own into the node, which then routes: so answers always pass where addresses were rewritten. */
function networkConfig({ place, disk }: NodeSetup): object {
  const range = [{ subnet: place.podRange }];
  const ipam = {
    type: "host-local",
    dataDir: join(disk, "addresses"),
    ranges: [range],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return { cniVersion: "1.0.0", name: "pods", plugins: [{ type: "ptp", ipMasq: false, ipam }] };
}

function kubeletConfig({ place, disk, identities, cgroup }: NodeSetup): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: place.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: identities.file("ca.crt") },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: identities.file(`${place.name}.crt`),
    tlsPrivateKeyFile: identities.file(`${place.name}.key`),
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroup}`,
    clusterDNS: [CENTER_ADDRESS],
    clusterDomain: "cluster.local",
    resolvConf: "",
    volumePluginDir: join(disk, "volume-plugins"),
    failSwapOn: false,
    serializeImagePulls: false,
    // the disk is this machine's: what others keep on it is no reason to evict pods or forget images
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "0%", "imagefs.available": "0%" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
}
