import type { ControlPlane, ControlPlaneOptions } from "../control-plane/control-plane.ts";

/** What a cluster of real nodes is asked to be. */
export interface ClusterOptions extends Pick<ControlPlaneOptions, "apiServerArguments" | "controllerManagerArguments"> {
  /** How many; they are called `node1`, `node2`, … */
  readonly nodes: number;
  /** Image archives (docker or OCI, `*.tar`) that every node gets; pods use them with `imagePullPolicy: Never`. */
  readonly images?: readonly string[];
}

/** The outcome of a program that ran to its end. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One node: a containerd, a kubelet and a kube-proxy with processes, mounts and a network of their own. */
export interface ClusterNode {
  readonly name: string;
  /** Address in the network of the nodes. */
  readonly address: string;
  /** Cuts it off from the other nodes and the control plane; its pods go on. */
  partition(): Promise<void>;
  heal(): Promise<void>;
  /** Ends the kubelet alone; containers go on. */
  stopKubelet(): Promise<void>;
  startKubelet(): Promise<void>;
  /** As if its power was cut: every process of it ends at once; what was written to disks stays. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Runs a program in the network, mounts and processes of the node, to its end. */
  exec(command: readonly string[], options?: ExecOptions): Promise<Outcome>;
}

export interface ExecOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Ends it by force after this time; 60 s when absent. */
  readonly timeoutMs?: number;
}

/**
 * A Kubernetes with real nodes. Dies with the process that started it. Its API is reachable on loopback by `controlPlane.kubeconfig`;
 * addresses of pods and Services only from inside, by `runInCluster`.
 */
export interface Cluster extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  /** Path of the administrator's kubeconfig, for programs of this machine and those of `runInCluster`. */
  readonly kubeconfig: string;
  readonly nodes: readonly ClusterNode[];
  partition(node: string): Promise<void>;
  heal(node: string): Promise<void>;
  /** Runs a program of this machine where addresses of pods and Services are reachable and their names resolve. */
  runInCluster(command: readonly string[], options?: ExecOptions): Promise<Outcome>;
  stop(): Promise<void>;
}
