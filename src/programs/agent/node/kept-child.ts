import { backoffMs } from "#kit/base/backoff";
import { isKnownFormat } from "../../../core/api/format.ts";
import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { FaultSpec } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { startChild } from "#kit/processes/child";
import type { Child } from "#kit/processes/child";

/** A child process of the agent that takes commands over its IPC channel, and is started again when it ends. */
export interface KeptChild<Command, Reply> {
  /** Sends a command; the fault `gone` when the process does not run or ends before it answers. */
  send(command: Command): Promise<Reply>;
  readonly ready: () => boolean;
  /** Ends it at once. */
  stop(): Promise<void>;
}

/** A child process that is not started again. */
export interface ChildRunningOnce<Command, Reply> extends KeptChild<Command, Reply> {
  /** Resolves when it has ended, or could not be started. */
  readonly ended: Promise<void>;
}

export interface KeptChildOptions {
  /** What it is called in messages, for instance "proxy". */
  readonly what: string;
  /** Arguments for this Node.js: the program that runs it. */
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly gone: FaultSpec;
  /** Called each time a process has started: it knows nothing yet. */
  readonly onReady: () => void;
  /** Gets messages other than replies and the one that says ready; `answer` goes to the process that asked. */
  readonly onMessage?: (message: unknown, answer: Child["send"]) => void;
}

/** Keeps one process running: one that ends is started again, later each time it ends early. */
export function keepChild<Command extends object, Reply>(options: KeptChildOptions): KeptChild<Command, Reply> {
  const stopping = new AbortController();
  const child = new ChildProcess<Command, Reply>(options, stopping.signal);
  const running = keepRunning(() => child.runOnce(", and is started again"), { ...options, signal: stopping.signal });
  return {
    ready: () => child.ready,
    send: (command) => child.send(command),
    async stop() {
      stopping.abort();
      child.kill();
      await running;
    },
  };
}

/** Runs one process once: when it has ended, each command gets the fault `gone`. */
export function runChildOnce<Command extends object, Reply>(
  options: KeptChildOptions,
): ChildRunningOnce<Command, Reply> {
  const stopping = new AbortController();
  const child = new ChildProcess<Command, Reply>(options, stopping.signal);
  const running = child.runOnce("").catch((error: unknown) => {
    options.log.error(`the ${options.what} cannot be started`, { error });
  });
  return {
    ready: () => child.ready,
    send: (command) => child.send(command),
    ended: running,
    async stop() {
      stopping.abort();
      child.kill();
      await running;
    },
  };
}

/** The process that runs now, and the commands that it has not answered. */
class ChildProcess<Command extends object, Reply> {
  ready = false;
  readonly #options: KeptChildOptions;
  readonly #stopping: AbortSignal;
  readonly #unanswered = new Map<number, PromiseWithResolvers<Reply>>();
  #child: Child | undefined;
  #nextId = 1;

  constructor(options: KeptChildOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#stopping = stopping;
  }

  /** Resolves when the process has ended; `next`: what follows, for the log. */
  async runOnce(next: string): Promise<void> {
    const { what, args, env, log } = this.#options;
    this.#child = await startChild({
      command: process.execPath,
      args,
      env,
      log,
      stdout: (chunk) => process.stdout.write(chunk),
      stderr: (chunk) => process.stderr.write(chunk),
      onMessage: (message) => {
        this.#receive(message);
      },
    });
    // stopped while it was being started
    if (this.#stopping.aborted) this.kill();
    const exit = await this.#child.exited;
    this.ready = false;
    for (const { reject } of this.#unanswered.values()) reject(this.#gone(`the ${what} ended before it answered`));
    this.#unanswered.clear();
    if (!this.#stopping.aborted) log.warn(`the ${what} ended${next}`, { ...exit });
  }

  send(command: Command): Promise<Reply> {
    const reply = Promise.withResolvers<Reply>();
    const id = this.#nextId++;
    this.#unanswered.set(id, reply);
    if (this.ready && this.#child?.send({ id, command })) return reply.promise;
    this.#unanswered.delete(id);
    reply.reject(this.#gone(`the ${this.#options.what} of this node is not up`));
    return reply.promise;
  }

  kill(): void {
    this.#child?.signal("SIGKILL");
  }

  #receive(message: unknown): void {
    const child = this.#child;
    if (isReady(message)) {
      this.ready = true;
      this.#options.onReady();
    } else if (isReply<Reply>(message)) {
      this.#unanswered.get(message.id)?.resolve(message.reply);
      this.#unanswered.delete(message.id);
    } else if (child !== undefined) this.#options.onMessage?.(message, child.send);
  }

  #gone(message: string): Fault {
    return new Fault(this.#options.gone, message);
  }
}

async function keepRunning(
  runOnce: () => Promise<void>,
  { what, clock, log, signal }: Pick<KeptChildOptions, "what" | "clock" | "log"> & { readonly signal: AbortSignal },
): Promise<void> {
  for (let early = 0; !signal.aborted;) {
    const began = clock.uptimeMs();
    await runOnce().catch((error: unknown) => {
      log.error(`the ${what} cannot be started`, { error });
    });
    early = clock.uptimeMs() - began > 10_000 ? 0 : early + 1;
    // aborted: the loop looks at the signal
    await clock.sleep(backoffMs(early - 1, 50, 5_000), signal).catch(() => undefined);
  }
}

/** Agent and child are of one image: a child of another format is one that was put there by hand, and is not used. */
function isReady(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  return Reflect.get(message, "ready") === true && isKnownFormat(Reflect.get(message, "format"));
}

/** A child replies to a command with what belongs to it: both are of one image. */
function isReply<Reply>(message: unknown): message is { readonly id: number; readonly reply: Reply } {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    typeof message.id === "number" &&
    "reply" in message &&
    typeof message.reply === "object"
  );
}
