import { join } from "node:path";
import type { Pod } from "kubernetes-types/core/v1.js";
import { backoffMs } from "../../../../controller-kit/src/base/backoff.ts";
import { Fault, messageOf } from "../../../../controller-kit/src/base/fault.ts";
import type { Log } from "../../../../controller-kit/src/base/log.ts";
import { Pods } from "../../../../controller-kit/src/kube/builtin.ts";
import type { EventType } from "../../../../controller-kit/src/kube/event-series.ts";
import type { EventRecorder } from "../../../../controller-kit/src/kube/events.ts";
import type { Stored } from "../../../../controller-kit/src/kube/kube.ts";
import { isOver } from "../../../../controller-kit/src/kube/pods.ts";
import { refOf } from "../../../../controller-kit/src/kube/ref.ts";
import { restartPolicyOf } from "../container/state.ts";
import { ContainerUnit } from "../container/unit.ts";
import type { ImageStore } from "../container/images.ts";
import type { LaunchPad } from "../container/launch.ts";
import type { LogPlace } from "../container/logs.ts";
import { removePod } from "./places.ts";
import { podFolder, setUpPod } from "./setup.ts";
import type { SetupDeps } from "./setup.ts";
import { podStatus } from "./status.ts";
import type { RetryPolicy } from "../container/backoff.ts";
import { referencedConfig } from "../volume/volume-files.ts";
import { writePodStatus } from "./write-status.ts";

/** What every pod of a kubelet shares. */
export interface PodDeps extends SetupDeps {
  readonly images: ImageStore;
  readonly retry: RetryPolicy;
  readonly events: EventRecorder;
}

const RETRY_BASE_MS = 500;
const RETRY_MAX_MS = 15_000;

/**
 * Drives one pod from its binding to its removal. Each pass looks at the newest object and at the processes, takes the
 * steps that are due, and reports; anything that changes asks for another pass.
 *
 *   prepare (address, files) → init containers, one by one → containers → … → stop → delete
 */
export class PodWorker {
  readonly #deps: PodDeps;
  readonly #log: Log;
  readonly #init: readonly ContainerUnit[];
  readonly #containers: readonly ContainerUnit[];
  readonly #startedAt: Date;
  readonly #folder: string;
  /** Aborts when the worker is to do no more. */
  readonly #over = new AbortController();
  /** Resolves when the worker does no more. */
  readonly finished: Promise<void>;
  #pod: Stored<Pod>;
  #isGone = false;
  #isStale = false;
  #pad: LaunchPad | undefined;
  #isDirty = true;
  #alarm: (() => void) | undefined;
  #failures = 0;
  #mountFailures = 0;

  constructor(pod: Stored<Pod>, deps: PodDeps) {
    const { namespace, name } = pod.metadata;
    this.#pod = pod;
    this.#deps = deps;
    this.#log = deps.log.with({ pod: `${namespace ?? ""}/${name}` });
    this.#folder = podFolder(deps.places, pod);
    this.#startedAt = deps.clock.now();
    this.#init = this.#units(pod.spec?.initContainers, pod.status?.initContainerStatuses, "PodInitializing");
    const reason = this.#init.length > 0 ? "PodInitializing" : "ContainerCreating";
    this.#containers = this.#units(pod.spec?.containers, pod.status?.containerStatuses, reason);
    this.finished = this.#work();
  }

  /** The newest object; undefined when it is gone from the API. */
  update(pod: Stored<Pod> | undefined): void {
    this.#pod = pod ?? this.#pod;
    this.#isGone ||= pod === undefined;
    this.#wake();
  }

  /** Reports that a Secret or ConfigMap has changed. */
  changed(kind: "secrets" | "configMaps", namespace: string | undefined, name: string): void {
    if (namespace !== this.#pod.metadata.namespace || !referencedConfig(this.#pod.spec)[kind].has(name)) return;
    this.#isStale = true;
    this.#wake();
  }

  /** Where the log of a container is, or why there is none. */
  log(container: string, previous: boolean): LogPlace | string {
    const unit = [...this.#init, ...this.#containers].find(({ name }) => name === container);
    return unit?.log(previous) ?? "does not exist";
  }

  /** Ends all processes for a shutdown of this machine, without a word to the API, and does no more. */
  async shutDown(graceMs: number): Promise<void> {
    this.#over.abort();
    this.#wake();
    await this.finished;
    await this.#stopAll(graceMs, false);
  }

  async #work(): Promise<void> {
    while (!this.#over.signal.aborted) {
      this.#isDirty = false;
      await this.#pass();
      if (!this.#isDirty && !this.#over.signal.aborted) await this.#woken();
    }
  }

  async #pass(): Promise<void> {
    try {
      await this.#sync();
      this.#failures = 0;
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.#log.warn("pod could not be brought forward", { error });
      this.#wake(backoffMs(this.#failures++, RETRY_BASE_MS, RETRY_MAX_MS));
    }
  }

  async #sync(): Promise<void> {
    if (this.#isGone) return this.#remove();
    if (this.#pod.metadata.deletionTimestamp !== undefined) return this.#terminate();
    if (isOver(this.#pod)) return this.#retire();
    await this.#advance();
    await this.#report();
  }

  async #advance(): Promise<void> {
    if (!(await this.#prepare()) || this.#pad === undefined) return;
    const spec = this.#pod.spec ?? { containers: [] };
    const policy = restartPolicyOf(spec);
    for (const unit of this.#init) {
      if (unit.exit?.exitCode === 0) continue;
      const container = spec.initContainers?.find(({ name }) => name === unit.name);
      // an init container runs until it has succeeded, also where the pod's containers run for ever
      if (container !== undefined)
        await unit.advance(container, policy === "Always" ? "OnFailure" : policy, this.#graceMs(), this.#pad);
      return;
    }
    for (const unit of this.#containers) {
      const container = spec.containers.find(({ name }) => name === unit.name);
      if (container !== undefined) await unit.advance(container, policy, this.#graceMs(), this.#pad);
    }
  }

  /** Address and files; false while something that they need is missing. */
  async #prepare(): Promise<boolean> {
    const isFirst = this.#pad === undefined;
    if (!isFirst && !this.#isStale) return true;
    this.#isStale = false;
    try {
      this.#pad = await setUpPod(this.#pod, { ...this.#deps, log: this.#log });
      this.#mountFailures = 0;
      return true;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#isStale = !isFirst;
      // claims are bound and Secrets written while the pod is on its way: only what stays missing is worth an event
      if (this.#mountFailures > 0) this.#event("Warning", "FailedMount", messageOf(error));
      this.#wake(backoffMs(this.#mountFailures++, RETRY_BASE_MS, RETRY_MAX_MS));
      return !isFirst;
    }
  }

  async #terminate(): Promise<void> {
    const graceMs = (this.#pod.metadata.deletionGracePeriodSeconds ?? 30) * 1_000;
    const running = this.#running();
    for (const unit of running) unit.stop(graceMs, true);
    await this.#report();
    if (this.#running().length > 0) return;
    const { uid } = this.#pod.metadata;
    await this.#deps.kube.delete(Pods, refOf(this.#pod), { gracePeriodSeconds: 0, uid });
    await this.#remove();
  }

  /** A pod that is over keeps its logs until it is deleted, and nothing else. */
  async #retire(): Promise<void> {
    await this.#stopAll(0, false);
    this.#deps.addresses.release(this.#pod.metadata.uid);
  }

  async #remove(): Promise<void> {
    await this.#stopAll(0, false);
    this.#deps.addresses.release(this.#pod.metadata.uid);
    await removePod(this.#folder);
    this.#over.abort();
  }

  async #stopAll(graceMs: number, runHook: boolean): Promise<void> {
    const running = this.#running();
    for (const unit of running) unit.stop(graceMs, runHook);
    await Promise.all(running.map((unit) => unit.ended()));
  }

  async #report(): Promise<void> {
    const seen = {
      podIP: this.#pad?.facts.podIP,
      hostIP: this.#deps.hostIP,
      startedAt: this.#startedAt,
      init: this.#init.map((unit) => unit.status()),
      containers: this.#containers.map((unit) => unit.status()),
    };
    const stored = await writePodStatus(this.#deps.kube, this.#pod, (pod) =>
      podStatus(pod, seen, this.#deps.clock.now()),
    );
    if (stored === undefined) this.update(undefined);
    else this.#pod = stored;
  }

  #running(): ContainerUnit[] {
    return [...this.#init, ...this.#containers].filter((unit) => unit.running);
  }

  #graceMs(): number {
    return (this.#pod.spec?.terminationGracePeriodSeconds ?? 30) * 1_000;
  }

  #units(
    containers: NonNullable<Pod["spec"]>["containers"] | undefined,
    statuses: NonNullable<Pod["status"]>["containerStatuses"],
    reason: string,
  ): ContainerUnit[] {
    const { name, namespace, uid } = this.#pod.metadata;
    return (containers ?? []).map((container) => {
      const before = statuses?.find((status) => status.name === container.name);
      return new ContainerUnit(container, before, reason, {
        images: this.#deps.images,
        clock: this.#deps.clock,
        retry: this.#deps.retry,
        logFolder: join(this.#folder, "logs", container.name),
        event: (type, eventReason, message) => {
          this.#event(type, eventReason, message);
        },
        wake: (afterMs) => {
          this.#wake(afterMs);
        },
        podName: `${name}_${namespace ?? ""}(${uid})`,
      });
    });
  }

  #event(type: EventType, reason: string, message: string): void {
    this.#deps.events.record(this.#pod, type, reason, message);
  }

  #wake(afterMs = 0): void {
    if (afterMs > 0) {
      void this.#deps.clock.sleep(afterMs, this.#over.signal).then(
        () => {
          this.#wake();
        },
        () => undefined, // the worker is over
      );
      return;
    }
    this.#isDirty = true;
    this.#alarm?.();
  }

  async #woken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#alarm = resolve;
    });
    this.#alarm = undefined;
  }
}
