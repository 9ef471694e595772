import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Container, ContainerStateTerminated, ContainerStatus } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import { Fault, isFault, messageOf } from "../../../../controller-kit/src/base/fault.ts";
import type { EventType } from "../../../../controller-kit/src/kube/event-series.ts";
import { timestamp } from "../../../../controller-kit/src/kube/timestamp.ts";
import type { Exit } from "../../../../controller-kit/src/processes/child.ts";
import { lostRun, mayRestart, terminatedState, waitingState } from "./state.ts";
import type { RestartPolicy } from "./state.ts";
import { ContainerRun } from "./run.ts";
import { faults } from "../faults.ts";
import type { ImageStore } from "./images.ts";
import { launch } from "./launch.ts";
import type { LaunchPad } from "./launch.ts";
import { olderPart } from "./log-file.ts";
import type { LogPlace } from "./logs.ts";
import { FailureBackoff } from "./backoff.ts";
import type { RetryPolicy } from "./backoff.ts";

/** What a container needs from its pod. */
export interface UnitDeps {
  readonly images: ImageStore;
  readonly clock: Clock;
  readonly retry: RetryPolicy;
  /** Folder of this container's logs. */
  readonly logFolder: string;
  readonly event: (type: EventType, reason: string, message: string) => void;
  /** Asks the pod for another look, at once or after some milliseconds. */
  readonly wake: (afterMs?: number) => void;
  /** `name_namespace(uid)` of the pod, as messages of Kubernetes name it. */
  readonly podName: string;
}

type UnitState =
  | { readonly kind: "waiting"; readonly reason: string; readonly message: string }
  | { readonly kind: "running"; readonly run: ContainerRun }
  | { readonly kind: "terminated"; readonly exit: ContainerStateTerminated };

/** A container that ran this long without trouble starts again without a pause. */
const STEADY_MS = 600_000;
/** How long a failed pull shows as such before it shows as waiting for the next one. */
const SHOWN_MS = 1_000;
const CONFIG_RETRY_MS = 2_000;

/** One container of a pod through all its runs: waiting → running → terminated → waiting … */
export class ContainerUnit {
  readonly name: string;
  readonly #deps: UnitDeps;
  readonly #crashes: FailureBackoff;
  readonly #pulls: FailureBackoff;
  #state: UnitState;
  #last: ContainerStateTerminated | undefined;
  #restartCount: number;
  #hasRun: boolean;
  #image: string;
  #imageID: string;
  #containerID: string;

  /** Continues from the status that an earlier kubelet left; the processes of that kubelet are gone. */
  constructor(container: Container, before: ContainerStatus | undefined, waitingReason: string, deps: UnitDeps) {
    this.name = container.name;
    this.#deps = deps;
    this.#crashes = new FailureBackoff(deps.retry);
    this.#pulls = new FailureBackoff(deps.retry);
    this.#image = container.image ?? "";
    this.#imageID = before?.imageID ?? "";
    this.#restartCount = before?.restartCount ?? 0;
    this.#containerID = before?.containerID ?? "";
    const exit = before?.state?.terminated ?? (before === undefined ? undefined : lostRun(before, deps.clock.now()));
    this.#hasRun = exit !== undefined || before?.lastState?.terminated !== undefined;
    this.#last = before?.lastState?.terminated;
    this.#state =
      exit === undefined ? { kind: "waiting", reason: waitingReason, message: "" } : { kind: "terminated", exit };
  }

  get running(): boolean {
    return this.#state.kind === "running";
  }

  get ready(): boolean {
    return this.#state.kind === "running" && this.#state.run.ready;
  }

  /** Whether it runs and its startup probe, if any, has succeeded. */
  get started(): boolean {
    return this.#state.kind === "running" && this.#state.run.started;
  }

  /** How the present run ended; undefined while there is one, or before the first. */
  get exit(): ContainerStateTerminated | undefined {
    return this.#state.kind === "terminated" ? this.#state.exit : undefined;
  }

  /** Whether it has ever been started. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** Brings the container one step closer to running as `container` says. */
  async advance(container: Container, policy: RestartPolicy, graceMs: number, pad: LaunchPad): Promise<void> {
    if (this.#state.kind === "running") {
      if (this.#image !== container.image) {
        this.#state.run.stop(graceMs, true, `Container ${this.name} definition changed, will be restarted`);
      }
      return;
    }
    if (this.#state.kind === "terminated") {
      if (!mayRestart(policy, this.#state.exit)) return;
      if (this.#mustPause(this.#state.exit)) return;
    } else if (this.#isPausing(container)) return;
    await this.#start(container, pad);
  }

  /** Asks the container to end within `graceMs`; asked again with less, it has less. */
  stop(graceMs: number, runHook: boolean): void {
    if (this.#state.kind === "running") this.#state.run.stop(graceMs, runHook);
  }

  /** Resolves when no process of it is left. */
  async ended(): Promise<void> {
    if (this.#state.kind === "running") await this.#state.run.ended;
  }

  /** Shows a reason for not having been started that lies with the pod. */
  wait(reason: string): void {
    if (this.#state.kind === "waiting") this.#state = { kind: "waiting", reason, message: "" };
  }

  /** The log of the present run, or of the one before; else why there is none. */
  log(previous: boolean): LogPlace | string {
    // while it waits to be started again, the run that ended last is the present one
    const index = this.#restartCount - (previous ? 1 : 0);
    if (previous && index < 0) return "has not been restarted: there is no previous run";
    if (!this.#hasRun) return `is waiting to start: ${this.#state.kind === "waiting" ? this.#state.reason : "not yet"}`;
    const live = !previous && this.#state.kind === "running" ? this.#state.run.output : undefined;
    return { path: this.#logPath(index), live };
  }

  status(): ContainerStatus {
    return {
      name: this.name,
      image: this.#image,
      imageID: this.#imageID,
      ...(this.#containerID === "" ? {} : { containerID: this.#containerID }),
      restartCount: this.#restartCount,
      ready: this.ready,
      started: this.started,
      state: this.#shown(),
      lastState: this.#last === undefined ? {} : { terminated: this.#last },
    };
  }

  #shown(): NonNullable<ContainerStatus["state"]> {
    const state = this.#state;
    if (state.kind === "waiting") return waitingState(state.reason, state.message);
    if (state.kind === "terminated") return { terminated: state.exit };
    return { running: { startedAt: timestamp(state.run.startedAt) } };
  }

  /** True while a container that ended has to wait before it starts again. */
  #mustPause(exit: ContainerStateTerminated): boolean {
    const remaining = this.#crashes.remainingMs(this.#now());
    if (remaining === 0) return false;
    const pause = Math.round(this.#crashes.pauseMs / 1_000);
    this.#last = exit;
    this.#wait(
      "CrashLoopBackOff",
      `back-off ${pause}s restarting failed container=${this.name} pod=${this.#deps.podName}`,
    );
    this.#deps.event(
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${this.name} in pod ${this.#deps.podName}`,
    );
    this.#deps.wake(remaining);
    return true;
  }

  /** True while a container that waits has to go on waiting; another image ends the wait. */
  #isPausing(container: Container): boolean {
    if (this.#image !== container.image) {
      this.#image = container.image ?? "";
      this.#pulls.reset();
    }
    const remaining = Math.max(this.#pulls.remainingMs(this.#now()), this.#crashes.remainingMs(this.#now()));
    if (remaining === 0) return false;
    if (this.#state.kind === "waiting" && this.#state.reason === "ErrImagePull") this.#showPullPause();
    this.#deps.wake(remaining);
    return true;
  }

  #showPullPause(): void {
    this.#wait("ImagePullBackOff", `Back-off pulling image "${this.#image}"`);
    this.#deps.event("Normal", "BackOff", `Back-off pulling image "${this.#image}"`);
    this.#deps.event("Warning", "Failed", "Error: ImagePullBackOff");
  }

  async #start(container: Container, pad: LaunchPad): Promise<void> {
    this.#image = container.image ?? "";
    const image = this.#deps.images.resolve(this.#image);
    if (image === undefined) return this.#pullFailed();
    this.#pulls.reset();
    const index = this.#hasRun ? this.#restartCount + 1 : 0;
    try {
      const launched = await launch(container, image, this.#logPath(index), pad);
      this.#imageID = `${nameOf(this.#image)}@${image.digest}`;
      this.#begin(container, index, new ContainerRun(container, launched, this.#runDeps(pad)), pad);
    } catch (error) {
      this.#startFailed(error);
    }
  }

  #begin(container: Container, index: number, run: ContainerRun, pad: LaunchPad): void {
    if (this.#state.kind === "terminated") this.#last = this.#state.exit;
    this.#state = { kind: "running", run };
    this.#restartCount = index;
    this.#hasRun = true;
    this.#containerID = `process://${pad.facts.pod.metadata.uid}.${this.name}.${index}`;
    this.#deps.event("Normal", "Pulled", `Container image "${this.#image}" already present on machine`);
    this.#deps.event("Normal", "Created", `Created container: ${container.name}`);
    this.#deps.event("Normal", "Started", `Started container ${container.name}`);
    void this.#forgetLog(index - 2);
    void run.ended.then((exit) => {
      this.#end(run, exit);
    });
  }

  #end(run: ContainerRun, exit: Exit): void {
    const now = this.#deps.clock.now();
    this.#state = { kind: "terminated", exit: terminatedState(exit, this.#containerID, run.startedAt, now) };
    if (now.getTime() - run.startedAt.getTime() >= STEADY_MS) this.#crashes.reset();
    this.#crashes.failed(this.#now(), 1);
    this.#deps.wake();
  }

  #pullFailed(): void {
    const image = this.#image;
    const reason = `failed to pull image "${image}": ${image}: not found in the images of this machine`;
    this.#pulls.failed(this.#now(), 0);
    this.#wait("ErrImagePull", reason);
    this.#deps.event("Normal", "Pulling", `Pulling image "${image}"`);
    this.#deps.event("Warning", "Failed", `Failed to pull image "${image}": not found in the images of this machine`);
    this.#deps.event("Warning", "Failed", "Error: ErrImagePull");
    this.#deps.wake(Math.min(SHOWN_MS, this.#pulls.pauseMs));
  }

  #startFailed(error: unknown): void {
    const reason = isFault(error, faults.configMissing) ? "CreateContainerConfigError" : "CreateContainerError";
    const message = error instanceof Fault ? error.message : messageOf(error);
    this.#wait(reason, message);
    this.#deps.event("Warning", "Failed", `Error: ${message}`);
    this.#deps.wake(CONFIG_RETRY_MS);
  }

  #wait(reason: string, message: string): void {
    if (this.#state.kind === "terminated") this.#last = this.#state.exit;
    this.#state = { kind: "waiting", reason, message };
  }

  #runDeps(pad: LaunchPad): ConstructorParameters<typeof ContainerRun>[2] {
    const { clock, event, wake } = this.#deps;
    return {
      podIP: pad.facts.podIP,
      graceMs: (pad.facts.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1_000,
      clock,
      event,
      wake,
    };
  }

  async #forgetLog(index: number): Promise<void> {
    if (index < 0) return;
    await rm(this.#logPath(index), { force: true });
    await rm(olderPart(this.#logPath(index)), { force: true });
  }

  #logPath(index: number): string {
    return join(this.#deps.logFolder, `${index}.log`);
  }

  #now(): number {
    return this.#deps.clock.uptimeMs();
  }
}

/** An image reference without tag and digest. */
function nameOf(image: string): string {
  return image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
}
