import { existsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { ServiceAccounts } from "#kit/kube/builtin";
import type { Kube } from "#kit/kube/kube";
import { until } from "#kit/testing/until";
import type { Launcher, Running } from "../machine/processes.ts";
import { apiServerArguments, controllerManagerArguments, etcdArguments, type Addresses } from "./arguments.ts";
import type { Identities } from "./identities.ts";

/** What is started, from where, and how it is reached. */
export interface Plan {
  readonly launcher: Launcher;
  /** Folder of the programs. */
  readonly assets: string;
  readonly identities: Identities;
  readonly addresses: Addresses;
  /** Command that becomes the program in another network: `["nsenter", …]`; empty for this one. */
  readonly inside: readonly string[];
  readonly apiServerArguments: readonly string[];
  readonly controllerManagerArguments: readonly string[];
}

/** The running programs of one control plane. */
export interface ControlPlaneProcesses {
  startApiServer(): Running;
  /** Undefined when the folder of programs has none: KUBEBUILDER_ASSETS usually lacks it. */
  startControllerManager(): Running | undefined;
  startEtcd(): Running;
}

/** How the programs of a control plane are started; starts none yet. */
export function controlPlaneProcesses(plan: Plan): ControlPlaneProcesses {
  const { launcher, assets, identities, addresses, inside } = plan;
  const start = (name: string, args: readonly string[]): Running =>
    launcher.start(name, [...inside, join(assets, name), ...args]);
  const apiArguments = [...apiServerArguments(identities, addresses), ...plan.apiServerArguments];
  const controllerArguments = [
    ...controllerManagerArguments(identities, addresses),
    ...plan.controllerManagerArguments,
  ];
  return {
    startEtcd: () => start("etcd", etcdArguments(launcher.folder, addresses)),
    startApiServer: () => start("kube-apiserver", apiArguments),
    startControllerManager: () =>
      existsSync(join(assets, "kube-controller-manager"))
        ? start("kube-controller-manager", controllerArguments)
        : undefined,
  };
}

const WITHIN_MS = 60_000;

/** Waits until the API server is ready; fails at once when one of `programs` ends. */
export async function untilReady(kube: Kube, programs: readonly Running[]): Promise<void> {
  let last = "";
  const isReady = async (): Promise<boolean> => {
    for (const program of programs) program.check();
    try {
      return (await kube.raw("GET", "/readyz")) === "ok";
    } catch (error) {
      last = messageOf(error);
      return false;
    }
  };
  await until("the API server is ready", isReady, { withinMs: WITHIN_MS, everyMs: 50 }).catch((error: unknown) => {
    throw new Error(`${messageOf(error)}; it last said: ${last}`, { cause: error });
  });
}

/** Waits until the controllers work: pods are refused before the namespace `default` has its ServiceAccount. */
export async function untilControllersWork(kube: Kube, manager: Running): Promise<void> {
  const works = async (): Promise<boolean> => {
    manager.check();
    return (await kube.get(ServiceAccounts, { namespace: "default", name: "default" })) !== undefined;
  };
  await until("the namespace default has a ServiceAccount", works, { withinMs: WITHIN_MS, everyMs: 50 });
}
