import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "#kit/base/log";
import { NODE_PATHS } from "../../../src/core/api/names.ts";
import { systemClock } from "#kit/reconcile/system-clock";
import { engineContainer, type EngineContainer } from "../../../src/mechanisms/starter/engine-container.ts";
import { STORE } from "../programs.ts";

/** The container of the engines of a node: a starter as a process, with folders as its pod has them. */
class StarterProcess implements AsyncDisposable {
  readonly root: string;
  readonly data: string;
  readonly shared: string;
  readonly #agents: EngineContainer[] = [];
  #child: ChildProcess | undefined;

  constructor(root: string) {
    this.root = root;
    this.data = join(root, NODE_PATHS.data);
    this.shared = join(root, NODE_PATHS.shared);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it, as Kubernetes does again after each end. */
  run(onOutput: (text: string) => void = () => undefined): void {
    this.#child = spawn(process.execPath, [STORE, "starter"], {
      env: { ...process.env, CONTAINER_ROOT: this.root },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    });
    this.#child.stderr?.setEncoding("utf8").on("data", onOutput);
  }

  /** The agent of the pod, which waits for the starter. */
  async agent(): Promise<EngineContainer> {
    const container = await engineContainer(this.shared, { clock: systemClock, log: silentLog });
    this.#agents.push(container);
    return container;
  }

  /** Resolves when it has ended. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }

  /** Ends it with its engines, as the kernel does with a container whose first process ends. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) process.kill(-this.pid, signal);
    await this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    for (const agent of this.#agents) agent.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A container whose starter does not run yet. */
export async function starterProcess(): Promise<StarterProcess> {
  const starter = new StarterProcess(await mkdtemp(join(tmpdir(), "starter-")));
  await mkdir(starter.data, { recursive: true });
  return starter;
}
