import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runWell } from "./command.ts";
import type { Machine } from "./machine.ts";

/** Settings of the kernel that a kubelet insists on; it would change them for the whole of this machine. */
const KUBELET_SETTINGS = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
  "kernel/keys/root_maxkeys": "1000000",
  "kernel/keys/root_maxbytes": "25000000",
} as const satisfies Record<string, string>;

/** Gives a node folders of its own where its programs write at fixed places, kept in `disk` like the disk of a machine. */
export async function mountNode(node: Machine, disk: string): Promise<void> {
  const folders = ["lib", "lib-work", "log", "kernel", "kubelet"];
  for (const folder of folders) mkdirSync(join(disk, folder), { recursive: true });
  await mount(node, "-t", "tmpfs", "none", "/run");
  await mount(node, "--bind", join(disk, "log"), "/var/log");
  // what was not flushed is no loss, for this machine goes on when a node's power is cut: so nothing waits for the disk
  rmSync(join(disk, "lib-work/work/incompat"), { recursive: true, force: true });
  const layers = `volatile,lowerdir=/var/lib,upperdir=${join(disk, "lib")},workdir=${join(disk, "lib-work")}`;
  await mount(node, "-t", "overlay", "-o", layers, "none", "/var/lib");
  for (const [name, value] of Object.entries(KUBELET_SETTINGS)) await pretend(node, disk, name, value);
  await mount(node, "--make-rshared", "/"); // pods' volumes travel between mount namespaces
}

/** Makes programs of the center find names of the cluster. */
export async function mountResolver(center: Machine, folder: string, content: string): Promise<void> {
  const file = join(folder, "resolv.conf");
  writeFileSync(file, content);
  await mount(center, "--bind", file, "/etc/resolv.conf");
}

/** The kubelet reads the value that it wants, and so changes nothing. */
async function pretend(node: Machine, disk: string, name: string, value: string): Promise<void> {
  const setting = join("/proc/sys", name);
  if (!existsSync(setting)) return;
  const file = join(disk, "kernel", name.replaceAll("/", "-"));
  writeFileSync(file, `${value}\n`);
  await mount(node, "--bind", file, setting);
}

async function mount(machine: Machine, ...args: readonly string[]): Promise<void> {
  await runWell([...machine.inside, "mount", ...args]);
}
