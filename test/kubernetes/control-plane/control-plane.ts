import { join } from "node:path";
import { connect } from "#kit/kube/client";
import { loadKubeConfig } from "#kit/kube/config";
import type { Kube, Ref } from "#kit/kube/kube";
import { loopbackAddress } from "../../kit/engines/engine.ts";
import { findAssets } from "../assets/assets.ts";
import { API_PORT, type Addresses } from "./arguments.ts";
import { controlPlaneProcesses, untilControllersWork, untilReady, type Plan } from "./control-plane-processes.ts";
import { createIdentities, type Identities, type User } from "./identities.ts";
import { tokenOf } from "./service-account-token.ts";
import { clearHome, createHome, orClearHome } from "../machine/home.ts";
import { launcher, type Launcher, type Running } from "../machine/processes.ts";

/** A real etcd, kube-apiserver and kube-controller-manager: a Kubernetes without nodes. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://address:port` on loopback. */
  readonly server: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** As the administrator. */
  readonly kube: Kube & { close(): Promise<void> };
  /** Path of a kubectl that fits the version. */
  readonly kubectl: string;
  /** Holds the programs; helm is among them unless KUBEBUILDER_ASSETS named the folder. */
  readonly assets: string;
  /** Holds `log/<program>.log`; gone after `stop`. */
  readonly folder: string;
  /** False when KUBEBUILDER_ASSETS names a folder without kube-controller-manager: no garbage collection, no default ServiceAccount. */
  readonly hasControllers: boolean;
  readonly identities: Identities;
  /** Writes a kubeconfig for a user with a client certificate, and returns its path. */
  kubeconfigOfUser(user: User): string;
  /** Writes a kubeconfig with a token of a ServiceAccount, which has to exist, and returns its path. */
  kubeconfigOfServiceAccount(account: Ref): Promise<string>;
  /** A token of a ServiceAccount, good for an hour. */
  tokenOf(account: Ref): Promise<string>;
  /** Ends the API server by force; etcd and the controllers go on. */
  stopApiServer(): Promise<void>;
  /** Starts it again at the same address and waits until it is ready. */
  startApiServer(): Promise<void>;
  /** Ends everything that was started, at once, and removes the folder: the state is gone. */
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** More flags, for instance `["--max-requests-inflight=50"]`; a repeated flag wins over the kit's own. */
  readonly apiServerArguments?: readonly string[];
  readonly controllerManagerArguments?: readonly string[];
  /** False leaves the kube-controller-manager out. */
  readonly controllers?: boolean;
}

/**
 * Starts a control plane on a loopback address of its own, in about 5 s: RBAC and Node authorization, the admission plugins that are
 * on by default (webhooks among them). Any number can run at once. Everything ends when the calling process does, however it ends.
 *
 *     const skip = skipWithout("api"); // from ./assets.ts: a reason, or false
 *     test("…", { skip }, async () => {
 *       await using real = await startControlPlane();
 *       await real.kube.create(ConfigMaps, …);                            // as administrator, over packages/controller-kit/src/kube
 *       spawn(real.kubectl, ["get", "ns"], { env: { KUBECONFIG: real.kubeconfig, HOME: real.folder } });
 *       const path = real.kubeconfigOfUser({ name: "jane", groups: ["dev"] }); // for RBAC
 *     });
 *
 * There is no kubelet: pods never run unless a test writes their status; a pod that is bound to a node object must be deleted with grace
 * period 0. For about a second after a CRD is established, its lists may be refused with 429.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const found = findAssets("api");
  if ("reason" in found) throw new Error(found.reason);
  const folder = await createHome("api");
  const address = loopbackAddress();
  const addresses = { api: address, own: address, outside: address };
  const site = { launcher: launcher(folder, "bound"), assets: found.folder, addresses, inside: [] };
  const plane = await orClearHome(folder, runControlPlane(options, site));
  const stop = async (): Promise<void> => {
    await plane.stop();
    await clearHome(folder);
  };
  return { ...plane, stop, [Symbol.asyncDispose]: stop };
}

/** Where the programs of a control plane run. */
export interface Site {
  readonly launcher: Launcher;
  readonly assets: string;
  readonly addresses: Addresses;
  readonly inside: readonly string[];
}

/** Starts a control plane at a place that is ready for it; `stop` leaves the folder to the caller. */
export async function runControlPlane(options: ControlPlaneOptions, site: Site): Promise<ControlPlane> {
  const { launcher: programs, assets, addresses } = site;
  const identities = createIdentities(join(programs.folder, "identities"), new Date());
  const server = `https://${addresses.outside}:${API_PORT}`;
  const kubeconfig = identities.kubeconfig("admin", server, { name: "admin", groups: ["system:masters"] });
  const kube = connect(loadKubeConfig({ KUBECONFIG: kubeconfig }));
  const { running, startApiServer, stopApiServer, endAll } = await begin(
    planOf(options, site, identities),
    kube,
    options,
  );
  const stop = async (): Promise<void> => {
    await endAll();
    await kube.close();
  };
  let made = 0;
  const fileName = (kind: string): string => `${kind}-${(made += 1)}`;
  return {
    server,
    kubeconfig,
    kube,
    kubectl: join(assets, "kubectl"),
    assets,
    folder: programs.folder,
    hasControllers: running.some(({ name }) => name === "kube-controller-manager"),
    identities,
    kubeconfigOfUser: (user) => identities.kubeconfig(fileName("user"), server, user),
    kubeconfigOfServiceAccount: async (account) =>
      identities.kubeconfigWithToken(fileName("account"), server, await tokenOf(kube, account)),
    tokenOf: (account) => tokenOf(kube, account),
    startApiServer,
    stopApiServer,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function planOf(options: ControlPlaneOptions, site: Site, identities: Identities): Plan {
  return {
    ...site,
    identities,
    apiServerArguments: options.apiServerArguments ?? [],
    controllerManagerArguments: options.controllerManagerArguments ?? [],
  };
}

interface Begun {
  readonly running: readonly Running[];
  startApiServer(): Promise<void>;
  stopApiServer(): Promise<void>;
  endAll(): Promise<void>;
}

async function begin(plan: Plan, kube: Kube, { controllers = true }: ControlPlaneOptions): Promise<Begun> {
  const start = controlPlaneProcesses(plan);
  const others = [start.startEtcd()];
  let apiServer = start.startApiServer();
  const endAll = async (): Promise<void> => {
    await Promise.all([apiServer, ...others].map((program) => program.stop()));
  };
  try {
    await untilReady(kube, [...others, apiServer]);
    const manager = controllers ? start.startControllerManager() : undefined;
    if (manager !== undefined) {
      others.push(manager);
      await untilControllersWork(kube, manager);
    }
  } catch (error) {
    await endAll();
    throw error;
  }
  return {
    running: others,
    endAll,
    stopApiServer: () => apiServer.stop(),
    startApiServer: async () => {
      apiServer = start.startApiServer();
      await untilReady(kube, [apiServer]);
    },
  };
}
