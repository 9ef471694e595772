import { backoffMs } from "../../../core/base/backoff.ts";
import { isKnownFormat } from "../../../core/api/format.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { ClientsAnswer, ClientsQuestion, OtherClients } from "../../../ports/management/clients-question.ts";
import type { ProxyCommand, ProxyReply, ProxyReplyMessage } from "../../../ports/management/proxy-control.ts";
import { startChild } from "../../../mechanisms/processes/child.ts";
import type { Child } from "../../../mechanisms/processes/child.ts";
import { faults } from "../faults.ts";

export interface ProxyChild {
  /** Sends a command; AGENT_PROXY_GONE when the proxy does not run or ends before it answers. */
  send(command: ProxyCommand): Promise<ProxyReply>;
  readonly ready: () => boolean;
  /** Ends the proxy at once: its clients have been drained, or cannot be. */
  stop(): Promise<void>;
}

export interface ProxyChildOptions {
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called each time a proxy has started: it has no endpoints yet. */
  readonly onReady: () => void;
  /** Answers a question of the proxy about the clients of other nodes; it does not reject. */
  readonly askOthers: (question: ClientsQuestion) => Promise<readonly OtherClients[]>;
}

/** Keeps one proxy process running: one that ends is started again, later each time it ends early. */
export function runProxyChild(options: ProxyChildOptions): ProxyChild {
  const stopping = new AbortController();
  const proxy = new ProxyProcess(options, stopping.signal);
  const running = keepRunning(() => proxy.runOnce(), { ...options, signal: stopping.signal });
  return {
    ready: () => proxy.ready,
    send: (command) => proxy.send(command),
    async stop() {
      stopping.abort();
      proxy.kill();
      await running;
    },
  };
}

/** The proxy process that runs now, and the commands that it has not answered. */
class ProxyProcess {
  ready = false;
  readonly #options: ProxyChildOptions;
  readonly #stopping: AbortSignal;
  readonly #unanswered = new Map<number, PromiseWithResolvers<ProxyReply>>();
  #child: Child | undefined;
  #nextId = 1;

  constructor(options: ProxyChildOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#stopping = stopping;
  }

  /** Resolves when the process has ended. */
  async runOnce(): Promise<void> {
    const { args, env, log } = this.#options;
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
    const exit = await this.#child.exited;
    this.ready = false;
    for (const { reject } of this.#unanswered.values()) reject(gone("the proxy ended before it answered"));
    this.#unanswered.clear();
    if (!this.#stopping.aborted) log.warn("the proxy ended and is started again", { ...exit });
  }

  send(command: ProxyCommand): Promise<ProxyReply> {
    const reply = Promise.withResolvers<ProxyReply>();
    const id = this.#nextId++;
    this.#unanswered.set(id, reply);
    if (this.ready && this.#child?.send({ id, command })) return reply.promise;
    this.#unanswered.delete(id);
    reply.reject(gone("the proxy of this node is not up"));
    return reply.promise;
  }

  kill(): void {
    this.#child?.signal("SIGKILL");
  }

  #receive(message: unknown): void {
    if (isReady(message)) {
      this.ready = true;
      this.#options.onReady();
    } else if (isReply(message)) {
      this.#unanswered.get(message.id)?.resolve(message.reply);
      this.#unanswered.delete(message.id);
    } else if (isQuestion(message)) void this.#answer(message);
  }

  async #answer(question: ClientsQuestion): Promise<void> {
    const child = this.#child;
    const answer: ClientsAnswer = { answer: question.ask, others: await this.#options.askOthers(question) };
    child?.send(answer);
  }
}

async function keepRunning(
  runOnce: () => Promise<void>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  for (let early = 0; !signal.aborted;) {
    const began = clock.uptimeMs();
    await runOnce().catch((error: unknown) => {
      log.error("the proxy cannot be started", { error });
    });
    early = clock.uptimeMs() - began > 10_000 ? 0 : early + 1;
    // aborted: the loop looks at the signal
    await clock.sleep(backoffMs(early - 1, 50, 5_000), signal).catch(() => undefined);
  }
}

function gone(message: string): Fault {
  return new Fault(faults.proxyGone, message);
}

/** Agent and proxy are of one image: a proxy of another format is one that was put there by hand, and is not used. */
function isReady(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  return Reflect.get(message, "ready") === true && isKnownFormat(Reflect.get(message, "format"));
}

function isQuestion(message: unknown): message is ClientsQuestion {
  return typeof message === "object" && message !== null && "ask" in message && "request" in message;
}

function isReply(message: unknown): message is ProxyReplyMessage {
  return (
    typeof message === "object" &&
    message !== null &&
    "id" in message &&
    typeof message.id === "number" &&
    "reply" in message &&
    typeof message.reply === "object"
  );
}
