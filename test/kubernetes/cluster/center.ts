import { join } from "node:path";
import { execPath } from "node:process";
import { loopbackAddress } from "../../kit/engines/engine.ts";
import { until } from "#kit/testing/until";
import { existsSync } from "node:fs";
import { runControlPlane, type ControlPlane, type ControlPlaneOptions } from "../control-plane/control-plane.ts";
import { API_PORT, flags } from "../control-plane/arguments.ts";
import type { Launcher } from "../machine/processes.ts";
import { CENTER_ADDRESS, type NodePlace } from "./addressing.ts";
import { createCenter, type Machine } from "./machine.ts";
import { mountResolver } from "./mounts.ts";
import { layNetwork } from "./network.ts";
import { proxyArguments } from "./node.ts";
import { STORAGE_CLASSES, StorageClasses } from "./volumes.ts";

/** The machine that is no node, with the control plane and what belongs to it. */
export interface Center {
  readonly machine: Machine;
  readonly controlPlane: ControlPlane;
  /** Starts what needs nodes: with it programs of the center reach Services. */
  startProxy(): void;
}

const RESOLVER = [
  `nameserver ${CENTER_ADDRESS}`,
  "search default.svc.cluster.local svc.cluster.local cluster.local",
  "options ndots:5",
  "",
].join("\n");

/** Starts the control plane, the scheduler, the name server and the maker of volumes on a machine that nodes can be plugged into. */
export async function startCenter(
  launcher: Launcher,
  assets: string,
  places: readonly NodePlace[],
  options: ControlPlaneOptions,
): Promise<Center> {
  const machine = await createCenter(launcher, assets, "center");
  await layNetwork(machine, places);
  await mountResolver(machine, launcher.folder, RESOLVER);
  const outside = loopbackAddress();
  await startRelay(launcher, machine, outside);
  const controlPlane = await runControlPlane(options, {
    launcher,
    assets,
    addresses: { api: CENTER_ADDRESS, own: "127.0.0.1", outside },
    inside: machine.network,
  });
  const { identities, kube } = controlPlane;
  const server = `https://${CENTER_ADDRESS}:${API_PORT}`;
  const scheduler = identities.kubeconfig("kube-scheduler", server, { name: "system:kube-scheduler" });
  machine.start("kube-scheduler", [join(assets, "kube-scheduler"), ...schedulerArguments(scheduler)]);
  const addons = identities.kubeconfig("addons", server, { name: "addons", groups: ["system:masters"] });
  const volumes = join(launcher.folder, "volumes");
  machine.start("addons", ["env", `KUBECONFIG=${addons}`, execPath, ADDONS, CENTER_ADDRESS, volumes]);
  for (const storageClass of STORAGE_CLASSES) await kube.create(StorageClasses, storageClass);
  const near = places[0]?.name ?? "";
  const startProxy = (): void => {
    machine.start("kube-proxy", [join(assets, "kube-proxy"), ...proxyArguments(identities, near, CENTER_ADDRESS)]);
  };
  return { machine, controlPlane, startProxy };
}

const RELAY = join(import.meta.dirname, "relay.ts");
const ADDONS = join(import.meta.dirname, "addons.ts");

/** Makes the API server reachable on one address of loopback: of this machine, by a socket among its files, and of the center. */
async function startRelay(launcher: Launcher, machine: Machine, outside: string): Promise<void> {
  const socket = join(launcher.folder, "api.sock");
  const [api, loopback] = [`tcp:${CENTER_ADDRESS}:${API_PORT}`, `tcp:${outside}:${API_PORT}`];
  machine.start("relay-inside", [execPath, RELAY, `unix:${socket}`, api]);
  machine.start("relay-center", [execPath, RELAY, loopback, api]);
  launcher.start("relay-outside", [execPath, RELAY, loopback, `unix:${socket}`]);
  await until("the relay to the API server listens", () => existsSync(socket));
}

function schedulerArguments(kubeconfig: string): string[] {
  return flags({
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    "bind-address": "127.0.0.1",
    "leader-elect": "false",
    profiling: "false",
  });
}
