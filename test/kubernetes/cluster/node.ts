import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCgroup, removeCgroups } from "../machine/cgroups.ts";
import type { ClusterNode } from "./cluster.ts";
import { API_PORT, flags } from "../control-plane/arguments.ts";
import type { Identities } from "../control-plane/identities.ts";
import { cgroupOf } from "../machine/home.ts";
import type { Launcher, Running } from "../machine/processes.ts";
import { CENTER_ADDRESS, POD_RANGE, type NodePlace } from "./addressing.ts";
import { run } from "./command.ts";
import { containerdRoot, startContainerd } from "./containerd.ts";
import { plantImages } from "./images.ts";
import { createMachine, type Machine } from "./machine.ts";
import { mountNode } from "./mounts.ts";
import { plugIn, setPlugged } from "./network.ts";
import { writeNodeConfig, type NodeFiles, type NodeSetup } from "./node-config.ts";

/** What a node is made from. */
export interface NodeParts {
  readonly launcher: Launcher;
  readonly assets: string;
  readonly identities: Identities;
  readonly center: Machine;
  readonly place: NodePlace;
  readonly others: readonly NodePlace[];
  /** What `collectImages` made. */
  readonly images: string;
}

/** A node whose containerd has the images; its kubelet is started by `join`. */
export interface PreparedNode extends ClusterNode {
  /** Starts the kubelet and the kube-proxy. */
  join(): void;
}

/** Makes a node: its machine, its network, its containerd with the images. */
export async function prepareNode(parts: NodeParts): Promise<PreparedNode> {
  const { launcher, assets, identities, center, place, others } = parts;
  const disk = join(launcher.folder, place.name);
  const cgroup = `${cgroupOf(launcher.folder)}-${place.name}`;
  mkdirSync(disk, { recursive: true });
  identities.server(place.name, { name: `system:node:${place.name}`, groups: ["system:nodes"] }, [place.address], []);
  const files = writeNodeConfig({ place, disk, assets, identities, cgroup } satisfies NodeSetup);
  const boot = async (): Promise<Machine> => {
    createCgroup(cgroup);
    const machine = await createMachine(launcher, assets, place.name);
    await mountNode(machine, disk);
    await plugIn(center, machine, place, others);
    await startContainerd(machine, assets, files.containerd);
    return machine;
  };
  await plantImages(parts.images, containerdRoot(disk));
  let machine = await boot();
  let kubelet: Running | undefined;
  const startKubelet = (): void => {
    kubelet = machine.start("kubelet", [join(assets, "kubelet"), ...kubeletArguments(parts, disk, files)]);
  };
  const joinCluster = (): void => {
    startKubelet();
    machine.start("kube-proxy", [join(assets, "kube-proxy"), ...proxyArguments(identities, place.name, place.address)]);
  };
  return {
    name: place.name,
    address: place.address,
    join: joinCluster,
    partition: () => setPlugged(center, place.name, false),
    heal: () => setPlugged(center, place.name, true),
    stopKubelet: async () => {
      await kubelet?.stop();
    },
    startKubelet: async () => {
      await kubelet?.stop();
      startKubelet();
    },
    stop: async () => {
      await machine.cutPower();
      await removeCgroups(cgroup);
    },
    start: async () => {
      machine = await boot();
      joinCluster();
    },
    exec: (command, options) => run([...machine.inside, ...command], options),
  };
}

const API = `https://${CENTER_ADDRESS}:${API_PORT}`;

function kubeletArguments({ identities, place }: NodeParts, disk: string, files: NodeFiles): string[] {
  const user = { name: `system:node:${place.name}`, groups: ["system:nodes"] };
  return flags({
    config: files.kubelet,
    kubeconfig: identities.kubeconfig(place.name, API, user),
    "root-dir": join(disk, "kubelet"),
    "cert-dir": join(disk, "kubelet/pki"),
    "hostname-override": place.name,
    "node-ip": place.address,
  });
}

/** A kube-proxy; `node` names a node that exists, whose pods count as near. */
export function proxyArguments(identities: Identities, node: string, address: string): string[] {
  return flags({
    kubeconfig: identities.kubeconfig("kube-proxy", API, { name: "system:kube-proxy" }),
    "proxy-mode": "nftables",
    "cluster-cidr": POD_RANGE,
    "hostname-override": node,
    "bind-address": address,
    "metrics-bind-address": "127.0.0.1:10249",
    // the table of connections has limits of the whole machine, which stay as they are
    "conntrack-max-per-core": "0",
    "conntrack-tcp-timeout-established": "0s",
    "conntrack-tcp-timeout-close-wait": "0s",
  });
}
