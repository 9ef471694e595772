import { spawn } from "node:child_process";
import type { ChildProcess, Serializable } from "node:child_process";
import { once } from "node:events";
import { Fault, messageOf } from "../base/fault.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { faults } from "./faults.ts";
import { signalProcess } from "./signal-process.ts";

/** Life of a child: `stopping` got SIGTERM or SIGINT, `killing` got SIGKILL, `exited` is final. */
export type ChildState = "running" | "stopping" | "killing" | "exited";

type ChildEvent = "stop" | "kill" | "exit";

const NEXT = {
  running: { stop: "stopping", kill: "killing", exit: "exited" },
  stopping: { stop: "stopping", kill: "killing", exit: "exited" },
  killing: { stop: "killing", kill: "killing", exit: "exited" },
  exited: { stop: "exited", kill: "exited" },
} as const satisfies Record<ChildState, Partial<Record<ChildEvent, ChildState>>>;

const MEANING: Partial<Record<NodeJS.Signals, ChildEvent>> = { SIGTERM: "stop", SIGINT: "stop", SIGKILL: "kill" };

/** What to run, and where its output goes. */
export interface ChildSpec {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Receive output as it comes; absent output is discarded. */
  readonly stdout?: (chunk: Buffer) => void;
  readonly stderr?: (chunk: Buffer) => void;
  /** Opens an IPC channel and receives what the child sends. */
  readonly onMessage?: (message: unknown) => void;
  /** Give the child a process group of its own that ends with it, as a container does with its processes. */
  readonly group?: boolean;
  readonly log: Log;
}

/** How a process ended: exactly one of the two is set. */
export interface Exit {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/** A process that was started. */
export interface Child {
  readonly pid: number;
  readonly state: () => ChildState;
  /** Resolves once, when the process has ended; never rejects. */
  readonly exited: Promise<Exit>;
  /** Resolves once its output has been received to the end, which may be a moment after it has ended. */
  readonly drained: Promise<void>;
  /** Sends a signal; nothing happens to a process that has ended. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Over the IPC channel; false when there is none (any more). */
  readonly send: (message: Serializable) => boolean;
}

/** A process that can be ended, also one that another process has started. */
export type Endable = Pick<Child, "state" | "exited" | "signal">;

/** What it took to end a child. */
export interface Stopped extends Exit {
  readonly how: "already-exited" | "graceful" | "forced";
}

/** Starts a process and resolves when it runs; PROCESSES_SPAWN_FAILED when it cannot be started. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const child = spawn(spec.command, [...spec.args], {
    env: spec.env,
    detached: spec.group ?? false,
    stdio: ["ignore", sink(spec.stdout), sink(spec.stderr), ...(spec.onMessage === undefined ? [] : ["ipc" as const])],
    ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
  });
  connect(child, spec);
  const exited = exitOf(child);
  const drained = new Promise<void>((resolve) => {
    child.once("close", () => {
      resolve();
    });
  });
  const pid = await awaitSpawn(child, spec);
  return superviseChild(child, pid, exited, drained, spec);
}

/**
 * Ends a child: SIGTERM every half second for `graceMs`, because an engine refuses it while it writes its first AOF; then
 * SIGKILL. Returns which of the two ended it, and leaves no timer behind.
 */
export async function stopChild(child: Endable, graceMs: number, clock: Clock): Promise<Stopped> {
  if (child.state() === "exited") return { how: "already-exited", ...(await child.exited) };
  const grace = new AbortController();
  const late = clock.sleep(graceMs, grace.signal).then(
    () => true,
    () => false, // aborted below: the child ended in time
  );
  const isLate = await Promise.race([child.exited.then(() => false), late, repeatSigterm(child, clock, grace.signal)]);
  grace.abort();
  if (isLate) child.signal("SIGKILL");
  return { how: isLate ? "forced" : "graceful", ...(await child.exited) };
}

const SIGTERM_EVERY_MS = 500;

/** Never resolves: the caller waits for the end of the child, or for the grace to be over. */
async function repeatSigterm(child: Endable, clock: Clock, signal: AbortSignal): Promise<never> {
  while (!signal.aborted) {
    child.signal("SIGTERM");
    await clock.sleep(SIGTERM_EVERY_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
  }
  return new Promise(() => undefined);
}

function sink(receiver: ((chunk: Buffer) => void) | undefined): "ignore" | "pipe" {
  return receiver === undefined ? "ignore" : "pipe";
}

function connect(child: ChildProcess, { stdout, stderr, onMessage }: ChildSpec): void {
  if (stdout !== undefined) child.stdout?.on("data", stdout);
  if (stderr !== undefined) child.stderr?.on("data", stderr);
  if (onMessage !== undefined) child.on("message", onMessage);
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code: code ?? undefined, signal: signal ?? undefined });
    });
  });
}

async function awaitSpawn(child: ChildProcess, { command, log }: ChildSpec): Promise<number> {
  try {
    await once(child, "spawn");
  } catch (error) {
    throw new Fault(faults.spawnFailed, `${command} cannot be started: ${messageOf(error)}`, { command }, error);
  }
  // later errors (a failed kill, a closed channel) change nothing: the exit event counts
  child.on("error", (error) => {
    log.warn("child process reports an error", { command, pid: child.pid, error });
  });
  return child.pid ?? 0;
}

function superviseChild(
  child: ChildProcess,
  pid: number,
  exited: Promise<Exit>,
  drained: Promise<void>,
  spec: ChildSpec,
): Child {
  let state: ChildState = "running";
  const move = (event: ChildEvent): void => {
    state = next(state, event);
  };
  const ended = exited.then((exit) => {
    move("exit");
    if (spec.group === true) signalProcess(-pid, "SIGKILL");
    return exit;
  });
  return {
    pid,
    state: () => state,
    exited: ended,
    drained,
    signal: (signal) => {
      if (state === "exited") return;
      const event = MEANING[signal];
      if (event !== undefined) move(event);
      child.kill(signal);
    },
    send: (message) => child.connected && child.send(message),
  };
}

function next(from: ChildState, event: ChildEvent): ChildState {
  const row: Partial<Record<ChildEvent, ChildState>> = NEXT[from];
  return row[event] ?? from;
}
