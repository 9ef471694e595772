import type { EngineCertificate } from "../../core/api/engine-certificate.ts";
import type { Clock } from "#kit/base/clock";
import { messageOf } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { engineText } from "../../core/releases/engines/engines.ts";
import { type Exit, stopChild } from "#kit/processes/child";
import { noteSizes } from "#kit/files/noted-sizes";
import { AppliedSettings } from "./applied-settings.ts";
import { renderConfig } from "./engine-config.ts";
import type { EngineProcess, EngineRunner } from "./engine-process.ts";
import { provideCertificate } from "./engine-tls-files.ts";
import { keepLogBounded } from "./engine-log.ts";
import { engineFor, type FoundEngine } from "./engines.ts";
import { FailedStarts } from "./failed-starts.ts";
import { type HeartbeatLimits, watchHeartbeat } from "./heartbeat.ts";
import { decideInstance } from "./instance-decision.ts";
import {
  claimForEngine,
  endedCleanly,
  hasRestored,
  type InstanceFiles,
  noteEnd,
  noteRestored,
  prepareDirectory,
  writeConfig,
  writeLaunch,
} from "./instance-files.ts";
import { type InstanceReport, type ReplicationAnswer, readRole, writtenBy } from "./instance-report.ts";
import { type InstanceEvent, type InstanceState, nextState } from "./instance-states.ts";
import { Retries } from "./retries.ts";
import { readUsedLaunch } from "./used-launch.ts";
import type { WantedInstance } from "./wanted-instance.ts";

/** What an instance works with. */
export interface InstanceDeps {
  readonly engines: readonly FoundEngine[];
  readonly runner: EngineRunner;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: HeartbeatLimits & {
    /** Patience with SIGTERM before SIGKILL, in milliseconds. */
    readonly graceMs: number;
  };
}

/** What a running engine did not take, as one that runs a script, is asked of it again after this. */
const APPLY_AGAIN_MS = 5_000;

/** One engine process, kept as its record names it. All acts go through one queue, one at a time. */
export class Instance {
  readonly #files: InstanceFiles;
  readonly #deps: InstanceDeps;
  readonly #log: Log;
  readonly #settings: AppliedSettings;
  readonly #failedStarts: FailedStarts;
  readonly #retries: Retries;
  #wanted: WantedInstance;
  #state: InstanceState = "stopped";
  #child: EngineProcess | undefined;
  #watch = new AbortController();
  #queue: Promise<void> = Promise.resolve();
  #usedLaunch = 0;
  /** How its process ended last; undefined: not in the time of this agent, so that its files say it. */
  #clean: boolean | undefined;
  #lost = false;
  #replication: ReplicationAnswer | undefined;
  #restarts = 0;
  #servingSince = 0;

  constructor(wanted: WantedInstance, files: InstanceFiles, deps: InstanceDeps) {
    this.#wanted = wanted;
    this.#files = files;
    this.#failedStarts = new FailedStarts(files);
    this.#retries = new Retries(deps.clock, () => void this.#enqueue(() => this.#converge()));
    this.#deps = deps;
    this.#log = deps.log.with({ bdb: wanted.bdb, instance: wanted.instance });
    this.#settings = new AppliedSettings(files, deps.runner.fileMode, this.#log);
  }

  /** Brings the process to what the record says now, as far as that is possible. Idempotent. */
  reconcile(wanted: WantedInstance): Promise<void> {
    this.#wanted = wanted;
    return this.#enqueue(() => this.#converge());
  }

  /** The database whose data it has. */
  database(): WantedInstance["database"] {
    return this.#wanted.database;
  }

  /** What its engine said last of its replication; undefined before it said anything. */
  replication(): ReplicationAnswer | undefined {
    return this.#replication;
  }

  /** What its running engine shows and trusts; undefined without one, and where it speaks no TLS. */
  certificate(): EngineCertificate | undefined {
    return this.#child === undefined ? undefined : this.#settings.certificate;
  }

  report(): InstanceReport {
    const { bdb, instance } = this.#wanted;
    const pid = this.#child?.pid ?? 0;
    const launch = this.#usedLaunch;
    const ended = {
      clean: this.#clean === true,
      lost: this.#lost,
      ...this.#failedStarts.report(this.#servedMs()),
      ...writtenBy(this.#state, this.#replication),
    };
    return { bdb, instance, state: this.#state, pid, restarts: this.#restarts, launch, ...ended };
  }

  /**
   * Ends the process and keeps it ended: SIGTERM, `graceMs`, SIGKILL. `saving`: what its settings keep in memory alone is
   * written to disk too.
   */
  stop(graceMs = this.#deps.limits.graceMs, saving = false): Promise<void> {
    return this.#enqueue(async () => {
      if (saving) await this.#save();
      await this.#end(graceMs);
    });
  }

  async #save(): Promise<void> {
    if (this.#state === "serving") await this.#settings.saveAtEnd(this.#wanted);
  }

  async #end(graceMs: number): Promise<void> {
    this.#retries.cancel();
    this.#watch.abort();
    this.#move("stop");
    if (this.#child === undefined) return;
    const { how, code } = await stopChild(this.#child, graceMs, this.#deps.clock);
    this.#clean = how === "graceful" && code === 0;
    await noteEnd(this.#files, this.#clean);
    this.#log.info("engine stopped", { how, code });
  }

  #enqueue(act: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(act).catch((error: unknown) => {
      this.#log.error("the engine cannot be reconciled with its record", { error });
      this.#failed(messageOf(error));
    });
    return this.#queue;
  }

  async #converge(): Promise<void> {
    // a launch that is allowed from here on is judged by another look at the files
    const wanted = this.#wanted;
    const isRunning = this.#child !== undefined;
    const used = await readUsedLaunch(this.#files, wanted, { isRunning, before: this.#usedLaunch });
    const kept = await endedCleanly(this.#files);
    // the process has ended since: its files are looked at as those of one that does not run
    if (isRunning && this.#child === undefined) return this.#converge();
    this.#usedLaunch = used.launch;
    this.#lost = used.lost;
    // meanwhile its process may have ended, which the files do not say yet
    this.#clean ??= kept;
    const [usedLaunch, retryAt] = [this.#usedLaunch, this.#retries.notBefore];
    const runsAs = readRole(this.#replication);
    const act = decideInstance({ state: this.#state, wanted, usedLaunch, runsAs, now: this.#now(), retryAt });
    switch (act.kind) {
      case "keep":
        await this.#useUpLaunch(wanted);
        if (this.#state !== "serving") return;
        await noteRestored(this.#files, false);
        await this.#settings.apply(this.#wanted);
        return;
      case "start-anew":
        this.#log.warn("engine runs as a replica, and starts as primary");
        await this.#save();
        await this.#end(this.#deps.limits.graceMs);
        return this.#converge();
      case "start":
        return this.#start(wanted, act.as);
      case "retry":
        this.#retries.lookIn(act.afterMs);
        return;
      case "report-lost":
        this.#move("lost");
        return;
      case "wait":
        return;
    }
  }

  async #start(wanted: WantedInstance, as: "primary" | "replica"): Promise<void> {
    const engine = engineFor(wanted, this.#deps.engines);
    const launch = as === "primary" ? wanted.launch : this.#usedLaunch;
    await prepareDirectory(this.#files, wanted.database);
    await noteEnd(this.#files, false);
    this.#clean = false;
    this.#lost = false;
    // before the process exists: a crash in between must not allow a second start
    await writeLaunch(this.#files, launch);
    await claimForEngine(this.#files, engine, as === "primary");
    // the link of an Active-Active database tells by them what clients have written since
    await noteSizes(this.#files.appendOnlyFolder);
    const { runner } = this.#deps;
    await provideCertificate(this.#files, wanted, runner.fileMode);
    const { version } = engine;
    const start = { startAs: as, version, isRestored: await hasRestored(this.#files) };
    await writeConfig(this.#files, renderConfig(wanted, this.#files, start), runner.fileMode);
    const { bdb, instance } = wanted;
    const child = await runner.start(engine, { bdb, instance, files: this.#files });
    // not reported before the process runs: until then it would look like a launch that has crashed already
    this.#usedLaunch = launch;
    this.#settings.started(wanted, version);
    if (this.#retries.hasCrashed) this.#restarts += 1;
    this.#supervise(child);
    this.#log.info("engine started", { as, engine: engineText(engine), pid: child.pid, launch: this.#usedLaunch });
  }

  /** A start that was allowed while the primary runs must not be left over for after its next crash. */
  async #useUpLaunch({ role, launch }: WantedInstance): Promise<void> {
    if (role !== "primary" || launch <= this.#usedLaunch) return;
    await writeLaunch(this.#files, launch);
    this.#usedLaunch = launch;
  }

  #supervise(child: EngineProcess): void {
    const watch = new AbortController();
    this.#watch = watch;
    this.#child = child;
    this.#failedStarts.started();
    this.#move("spawn");
    void child.exited.then((exit) => {
      this.#exited(child, exit);
      return this.#enqueue(() => this.#failedStarts.readLastWords(this.#wanted.role));
    });
    const { limits, clock } = this.#deps;
    void keepLogBounded(this.#files, { clock, log: this.#log }, watch.signal);
    this.#replication = undefined;
    const heartbeat = {
      onReplication: (info: string, at: number) => {
        this.#replication = { info, at };
        void this.#enqueue(() => this.#failedStarts.answered(info));
      },
      address: () => this.#settings.addressOf(this.#wanted),
      isFollowed: () => this.#wanted.isFollowed,
      limits,
      clock,
      onPong: () => {
        this.#servingSince = this.#now();
        this.#move("pong");
      },
      onBusy: (busy: boolean) => {
        this.#log.warn(busy ? "engine runs a long script" : "engine has ended a long script", { pid: child.pid });
      },
      signal: watch.signal,
    };
    void watchHeartbeat(heartbeat).then((end) => {
      if (end === "silent") this.#kill(child);
    });
  }

  #kill(child: EngineProcess): void {
    this.#log.warn("engine does not answer and is killed", { pid: child.pid });
    this.#failedStarts.silenced();
    child.signal("SIGKILL");
  }

  #exited(child: EngineProcess, exit: Exit): void {
    this.#watch.abort();
    this.#child = undefined;
    const served = this.#servedMs();
    this.#move("exit");
    if (this.#state !== "crashed") return;
    this.#failedStarts.ended(exit, served);
    // asked by another than its agent: it has written what it keeps
    this.#clean = exit.code === 0;
    if (this.#clean) void this.#enqueue(() => noteEnd(this.#files, true));
    this.#log.warn("engine ended unasked", { pid: child.pid, ...exit });
    this.#retries.crashed(served);
  }

  #failed(why: string): void {
    if (this.#child !== undefined) return this.#retries.lookIn(APPLY_AGAIN_MS);
    this.#failedStarts.failed(why);
    this.#move("lost");
    this.#retries.failed();
  }

  #move(event: InstanceEvent): void {
    const next = nextState(this.#state, event);
    if (next === undefined || next === this.#state) return;
    this.#log.info("instance state changed", { from: this.#state, to: next, event });
    this.#state = next;
  }

  #servedMs(): number {
    return this.#state === "serving" ? this.#now() - this.#servingSince : 0;
  }

  #now(): number {
    return this.#deps.clock.uptimeMs();
  }
}
