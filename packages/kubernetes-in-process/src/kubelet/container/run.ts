import type { Container, Probe } from "kubernetes-types/core/v1.js";
import type { Clock } from "../../../../controller-kit/src/base/clock.ts";
import type { EventType } from "../../../../controller-kit/src/kube/event-series.ts";
import type { Exit } from "../../../../controller-kit/src/processes/child.ts";
import { runHandler } from "./handler.ts";
import type { Handler, HandlerResult } from "./handler.ts";
import type { Launched } from "./launch.ts";
import type { LogFile } from "./log-file.ts";
import { keepProbing } from "./probe.ts";

/** What one run of a container needs from outside. */
export interface RunDeps {
  readonly podIP: string;
  /** What the container gets to end by itself when a probe condemns it. */
  readonly graceMs: number;
  readonly clock: Clock;
  readonly event: (type: EventType, reason: string, message: string) => void;
  readonly wake: () => void;
}

/** After SIGTERM a program has at least this long, however long its hook took. */
const LEAST_GRACE_MS = 2_000;
/** A process that gave its output to others that live on is not waited for longer than this. */
const DRAIN_MS = 1_000;

/** One run of a container, from its start to its last line of output: probes, hooks, and the way to its end. */
export class ContainerRun {
  readonly startedAt: Date;
  readonly output: LogFile;
  /** Resolves when the process has ended and its output is in the log. */
  readonly ended: Promise<Exit>;
  readonly #container: Container;
  readonly #launched: Launched;
  readonly #deps: RunDeps;
  /** Aborts when the process has ended. */
  readonly #over = new AbortController();
  /** Aborts when the process is asked to end. */
  readonly #ending = new AbortController();
  #deadline: AbortController | undefined;
  #deadlineMs = Infinity;
  #started: boolean;
  #ready: boolean;

  constructor(container: Container, launched: Launched, deps: RunDeps) {
    this.#container = container;
    this.#launched = launched;
    this.#deps = deps;
    this.startedAt = deps.clock.now();
    this.output = launched.output;
    this.#started = container.startupProbe === undefined;
    this.#ready = this.#started && container.readinessProbe === undefined;
    this.ended = this.#watch();
    this.#startProbes();
  }

  get started(): boolean {
    return this.#started;
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** preStop hook, SIGTERM, and SIGKILL when `graceMs` are over; called again, it can only shorten the wait. */
  stop(graceMs: number, runHook: boolean, why = `Stopping container ${this.#container.name}`): void {
    const first = !this.#ending.signal.aborted;
    this.#killAfter(graceMs);
    if (!first) return;
    this.#ending.abort();
    this.#deps.event("Normal", "Killing", why);
    void this.#askToEnd(runHook);
  }

  async #watch(): Promise<Exit> {
    const { child, output } = this.#launched;
    const exit = await child.exited;
    this.#over.abort();
    this.#ready = false;
    this.#started = false;
    await within(DRAIN_MS, child.drained, this.#deps.clock);
    output.close();
    return exit;
  }

  async #askToEnd(runHook: boolean): Promise<void> {
    const hook = this.#container.lifecycle?.preStop;
    if (runHook && hook !== undefined) {
      const { ok, output } = await this.#run(hook, this.#over.signal);
      if (!ok && !this.#over.signal.aborted)
        this.#deps.event("Warning", "FailedPreStopHook", `PreStopHook failed: ${output}`);
    }
    this.#launched.child.signal("SIGTERM");
  }

  #killAfter(graceMs: number): void {
    const at = this.#deps.clock.uptimeMs() + graceMs;
    if (at >= this.#deadlineMs) return;
    this.#deadlineMs = at;
    this.#deadline?.abort();
    this.#deadline = new AbortController();
    const signal = AbortSignal.any([this.#deadline.signal, this.#over.signal]);
    void this.#deps.clock.sleep(graceMs, signal).then(
      () => this.#insist(graceMs, signal),
      () => undefined, // a shorter wait took over, or the process has ended
    );
  }

  async #insist(graceMs: number, signal: AbortSignal): Promise<void> {
    const { child } = this.#launched;
    if (child.state() === "running" && graceMs > 0) {
      // the hook used up the time: the program still gets SIGTERM before SIGKILL
      child.signal("SIGTERM");
      await this.#deps.clock.sleep(LEAST_GRACE_MS, signal).catch(() => undefined); // ended meanwhile
    }
    child.signal("SIGKILL");
  }

  #startProbes(): void {
    const { startupProbe } = this.#container;
    if (startupProbe === undefined) {
      this.#startSteadyProbes();
      return;
    }
    const until = new AbortController();
    this.#probe("Startup", startupProbe, AbortSignal.any([until.signal, this.#ending.signal]), (ok) => {
      until.abort();
      if (!ok) {
        this.#condemn("startup");
        return;
      }
      this.#started = true;
      this.#ready = this.#container.readinessProbe === undefined;
      this.#startSteadyProbes();
      this.#deps.wake();
    });
  }

  #startSteadyProbes(): void {
    const { readinessProbe, livenessProbe } = this.#container;
    if (readinessProbe !== undefined) {
      this.#probe("Readiness", readinessProbe, this.#over.signal, (ok) => {
        this.#ready = ok;
        this.#deps.wake();
      });
    }
    if (livenessProbe !== undefined) {
      this.#probe("Liveness", livenessProbe, this.#ending.signal, (ok) => {
        if (!ok) this.#condemn("liveness");
      });
    }
  }

  #probe(
    kind: "Startup" | "Readiness" | "Liveness",
    probe: Probe,
    signal: AbortSignal,
    onVerdict: (ok: boolean) => void,
  ): void {
    const subject = {
      run: (handler: Handler, patience: AbortSignal) => this.#run(handler, patience),
      onFailure: (output: string) => {
        this.#deps.event("Warning", "Unhealthy", `${kind} probe failed: ${output}`);
      },
      onVerdict,
    };
    const until = AbortSignal.any([signal, this.#over.signal]);
    void keepProbing(probe, subject, this.#deps.clock, until, kind === "Liveness" ? "patient" : "eager");
  }

  #condemn(kind: string): void {
    this.stop(this.#deps.graceMs, true, `Container ${this.#container.name} failed ${kind} probe, will be restarted`);
  }

  async #run(handler: Handler, signal: AbortSignal): Promise<HandlerResult> {
    return runHandler(
      handler,
      { container: this.#container, podIP: this.#deps.podIP, exec: this.#launched.exec },
      signal,
    );
  }
}

async function within(ms: number, done: Promise<void>, clock: Clock): Promise<void> {
  const patience = new AbortController();
  await Promise.race([done, clock.sleep(ms, patience.signal).catch(() => undefined)]); // aborted below
  patience.abort();
}
