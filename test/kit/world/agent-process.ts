import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { NODE_ARGS } from "../../../src/bin/node-args.ts";
import { until } from "#kit/testing/until";
import { STORE } from "../programs.ts";

/** An agent that runs as a process; its proxy and its engines are in its process group. */
export interface AgentProcess {
  readonly pid: number;
  isRunning(): boolean;
  /** SIGKILL to the whole group. */
  kill(): Promise<void>;
  /** SIGTERM to the agent; what is left of the group when it has ended is killed. */
  stop(): Promise<void>;
  /** SIGSTOP to the whole group; resolves when all of it stands still. */
  freeze(): Promise<void>;
  /** SIGCONT to the whole group. */
  thaw(): void;
}

export interface AgentOptions {
  readonly kubeconfig: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly pod: string;
  readonly address: string;
  /** Operator version. */
  readonly release: string;
  /** Where it finds its mounts. */
  readonly root: string;
  /** File that its output is appended to. */
  readonly log: string;
  /** How long it waits for its primaries to move when it is stopped. */
  readonly graceSeconds: number;
  /** What runs it, and becomes it: the network of a host of its own, for instance. */
  readonly within: readonly string[];
}

/** Starts `store agent`; it may not accept clients yet. */
export function startAgent(options: AgentOptions): AgentProcess {
  const [program = process.execPath, ...args] = [...options.within, process.execPath, ...NODE_ARGS, STORE, "agent"];
  const child = spawn(program, args, {
    env: environment(options),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const output = createWriteStream(options.log, { flags: "a" });
  child.stdout.pipe(output);
  child.stderr.pipe(output);
  const { pid } = child;
  if (pid === undefined) throw new Error(`the agent of ${options.pod} could not be started`);
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals, target: number): Promise<void> => {
    if (!isRunning()) return;
    const ended = once(child, "exit");
    process.kill(target, signal);
    await ended;
  };
  return {
    pid,
    isRunning,
    kill: () => end("SIGKILL", -pid),
    stop: async () => {
      if (!isRunning()) return;
      await end("SIGTERM", pid);
      killGroup(pid);
    },
    freeze: async () => {
      process.kill(-pid, "SIGSTOP");
      await until(`${options.pod} stands still`, async () => (await stopped(pid)).every(Boolean));
    },
    thaw: () => {
      process.kill(-pid, "SIGCONT");
    },
  };
}

function environment(options: AgentOptions): NodeJS.ProcessEnv {
  const passed = ["PATH", "STORE_ENGINES_DIR", "NODE_COMPILE_CACHE", "PROXY_WORKERS"].filter(
    (name) => process.env[name] !== undefined,
  );
  return {
    ...Object.fromEntries(passed.map((name) => [name, process.env[name]])),
    KUBECONFIG: options.kubeconfig,
    POD_NAME: options.pod,
    POD_NAMESPACE: options.namespace,
    POD_IP: options.address,
    CLUSTER_NAME: options.cluster,
    STORE_RELEASE: options.release,
    CONTAINER_ROOT: options.root,
    SHUTDOWN_GRACE_SECONDS: String(options.graceSeconds),
  };
}

/** Of each process of the group, whether it is stopped. */
async function stopped(group: number): Promise<readonly boolean[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""))); // it has ended
  return stats
    .map((stat) => stat.slice(stat.lastIndexOf(")") + 2).split(" "))
    .filter(([, , member]) => member === String(group))
    .map(([state]) => state === "T");
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: nothing of the node is left
  }
}
