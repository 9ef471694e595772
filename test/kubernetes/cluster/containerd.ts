import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "#kit/testing/until";
import { PAUSE_IMAGE } from "../assets/pause-image.ts";
import { run } from "./command.ts";
import type { Machine } from "./machine.ts";

/** Where containerd listens, on its machine. */
export const CONTAINERD_SOCKET = "/run/containerd/containerd.sock";

/** Where a containerd is at home. */
export interface Disk {
  /** Folder that is the machine's disk. */
  readonly disk: string;
  /** Folder of the programs. */
  readonly assets: string;
}

/** Where containerd keeps images and layers. */
export function containerdRoot(disk: string): string {
  return join(disk, "containerd");
}

/** Writes the configuration of a containerd whose pods get their network by what lies in `network`, and returns its path. */
export function writeContainerdConfig(home: Disk, network: string): string {
  const folder = join(home.disk, "etc");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "containerd.toml");
  writeFileSync(file, containerdConfig(home, network));
  return file;
}

/** Starts a containerd and waits until it answers. */
export async function startContainerd(machine: Machine, assets: string, config: string): Promise<void> {
  const containerd = machine.start("containerd", [join(assets, "containerd"), "--config", config]);
  const ask = [...machine.inside, join(assets, "ctr"), "--address", CONTAINERD_SOCKET, "version"];
  await until(
    `containerd of ${machine.name} answers`,
    async () => {
      containerd.check();
      return (await run(ask)).code === 0;
    },
    { withinMs: 60_000, everyMs: 50 },
  );
}

/** Programs that need what such a machine may lack. */
const DISABLED = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.nri.v1.nri",
  "io.containerd.tracing.processor.v1.otlp",
  "io.containerd.internal.v1.tracing",
];

function containerdConfig({ disk, assets }: Disk, network: string): string {
  const cri = '[plugins."io.containerd.grpc.v1.cri"';
  return [
    "version = 2",
    `root = ${quoted(containerdRoot(disk))}`,
    'state = "/run/containerd"',
    `disabled_plugins = [${DISABLED.map(quoted).join(", ")}]`,
    "[grpc]",
    `address = ${quoted(CONTAINERD_SOCKET)}`,
    `${cri}]`,
    `sandbox_image = ${quoted(PAUSE_IMAGE)}`,
    "restrict_oom_score_adj = true", // a virtual machine may lack the right to lower it
    "enable_cdi = false",
    `${cri}.cni]`,
    `bin_dir = ${quoted(join(assets, "cni"))}`,
    `conf_dir = ${quoted(network)}`,
    `${cri}.containerd]`,
    'snapshotter = "overlayfs"',
    'default_runtime_name = "runc"',
    `${cri}.containerd.runtimes.runc]`,
    'runtime_type = "io.containerd.runc.v2"',
    `${cri}.containerd.runtimes.runc.options]`,
    `BinaryName = ${quoted(join(assets, "runc"))}`,
    "SystemdCgroup = false",
    '[plugins."io.containerd.snapshotter.v1.overlayfs"]',
    'mount_options = ["volatile"]', // removing a container must not wait for the disk of this machine
    "",
  ].join("\n");
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
