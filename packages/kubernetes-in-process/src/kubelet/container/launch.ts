import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Container, PodSpec } from "kubernetes-types/core/v1.js";
import { parseQuantity } from "../../../../controller-kit/src/base/quantity.ts";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { startChild } from "../../../../controller-kit/src/processes/child.ts";
import type { Child } from "../../../../controller-kit/src/processes/child.ts";
import { environmentOf, expand } from "../environment/environment.ts";
import type { ProcessEnvironment } from "../environment/environment.ts";
import type { Image } from "./images.ts";
import { openLogFile } from "./log-file.ts";
import type { LogFile } from "./log-file.ts";
import type { PodFacts } from "../environment/facts.ts";
import type { ProcessTable } from "./process-table.ts";
import type { ConfigSources } from "../environment/config-sources.ts";
import { mountVolumes } from "../volume/volumes.ts";
import type { VolumePlaces } from "../volume/volumes.ts";

/** What all containers of a pod are started with. */
export interface LaunchPad {
  readonly facts: PodFacts;
  readonly sources: ConfigSources;
  readonly places: VolumePlaces;
  /** Names and contents that the kubelet itself adds, for instance KUBECONFIG. */
  readonly environment: ProcessEnvironment;
  readonly processes: ProcessTable;
  readonly clock: Clock;
  readonly log: Log;
}

/** A container that has been started. */
export interface Launched {
  readonly child: Child;
  readonly output: LogFile;
  /** Runs another command as if inside the container, until it ends or `signal` aborts. */
  readonly exec: (command: readonly string[], signal: AbortSignal) => Promise<{ code: number; output: string }>;
}

/**
 * Starts the program of a container; output goes to `logPath`. KUBELET_CONFIG_MISSING, KUBELET_VOLUME_NOT_READY and
 * PROCESSES_SPAWN_FAILED say what kept it from starting.
 */
export async function launch(container: Container, image: Image, logPath: string, pad: LaunchPad): Promise<Launched> {
  const root = join(pad.places.podFolder, "root", container.name);
  const env = await environmentOf(container, baseEnvironment(container, image, root, pad), pad.facts, pad.sources);
  await layOut({ ...image.files, ...limitsOf(container) }, root);
  await mountVolumes(container, pad.facts.pod.spec ?? { containers: [] }, root, pad.places, env);
  const cwd = join(root, container.workingDir ?? "/");
  await mkdir(cwd, { recursive: true });
  const start = startIn(cwd, { ...env, CONTAINER_ROOT: root }, pad);
  const output = openLogFile(logPath, pad.clock);
  const child = await start(commandOf(container, image, env), {
    stdout: (chunk) => {
      output.write("stdout", chunk);
    },
    stderr: (chunk) => {
      output.write("stderr", chunk);
    },
  });
  return { child, output, exec: execIn(start) };
}

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** This kubelet cannot hold a process to its limit, but shows it where containers read theirs. */
function limitsOf({ resources }: Container): Image["files"] {
  const memory = resources?.limits?.["memory"];
  return { "sys/fs/cgroup/memory.max": memory === undefined ? "max\n" : `${parseQuantity(memory)}\n` };
}

async function layOut(files: Image["files"], root: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

interface Receivers {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
}

type Start = (command: readonly string[], receivers: Receivers) => Promise<Child>;

function startIn(cwd: string, env: ProcessEnvironment, { processes, log }: LaunchPad): Start {
  return async (command, receivers) => {
    const [program = "", ...args] = processes.wrap(command);
    const child = await startChild({ command: program, args, env, cwd, group: true, log, ...receivers });
    void child.exited.then(() => processes.forget(child.pid));
    return child;
  };
}

function execIn(start: Start): Launched["exec"] {
  return async (command, signal) => {
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    const child = await start(command, { stdout: collect, stderr: collect });
    const kill = (): void => {
      child.signal("SIGKILL");
    };
    signal.addEventListener("abort", kill);
    const { code } = await child.exited;
    signal.removeEventListener("abort", kill);
    signal.throwIfAborted();
    await child.drained;
    return { code: code ?? 137, output };
  };
}

function baseEnvironment(container: Container, image: Image, root: string, pad: LaunchPad): ProcessEnvironment {
  return {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: root,
    HOSTNAME: pad.facts.pod.metadata.name,
    ...(hidesToken(container, pad.facts.pod.spec) ? {} : pad.environment),
    ...image.env,
  };
}

/** As in Kubernetes, the token is not mounted where the container has a mount of its own. */
function hidesToken({ volumeMounts }: Container, spec: PodSpec | undefined): boolean {
  const mount = (volumeMounts ?? []).find(({ mountPath }) => mountPath === TOKEN_PATH);
  const volume = (spec?.volumes ?? []).find(({ name }) => name === mount?.name);
  const sources = volume?.projected?.sources ?? [];
  return mount !== undefined && !sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
}

function commandOf({ command, args }: Container, image: Image, env: ProcessEnvironment): readonly string[] {
  const expanded = (words: readonly string[] | undefined): string[] => (words ?? []).map((word) => expand(word, env));
  return [...(command === undefined || command.length === 0 ? image.command : expanded(command)), ...expanded(args)];
}
