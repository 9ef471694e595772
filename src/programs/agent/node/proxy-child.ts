import { backoffMs } from "../../../core/base/backoff.ts";
import type { Clock } from "../../../core/base/clock.ts";
import { Fault } from "../../../core/base/fault.ts";
import type { Log } from "../../../core/base/log.ts";
import type { ProxyCommand, ProxyReply, ProxyReplyMessage } from "../../../ports/management/proxy-control.ts";
import { startChild } from "../../../mechanisms/processes/child.ts";
import type { Child } from "../../../mechanisms/processes/child.ts";
import { faults } from "../faults.ts";

export interface ProxyChild {
  /** Sends a command; AGENT_PROXY_GONE when the proxy is not there or ends before it answers. */
  send(command: ProxyCommand): Promise<ProxyReply>;
  readonly ready: () => boolean;
  /** Ends it at once: its clients have been drained, or cannot be. */
  stop(): Promise<void>;
}

export interface ProxyChildOptions {
  /** Arguments for this Node.js: the program that runs a proxy. */
  readonly args: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** Called each time a proxy is ready, also the first: it knows nothing and is to be configured. */
  readonly onReady: () => void;
}

/** Keeps one proxy process running: one that ends is started again, with more patience each time it ends early. */
export function runProxyChild(options: ProxyChildOptions): ProxyChild {
  const { clock, log } = options;
  const stopping = new AbortController();
  const waiting = new Map<number, { resolve: (reply: ProxyReply) => void; reject: (fault: Fault) => void }>();
  let child: Child | undefined;
  let ready = false;
  let nextId = 1;

  const hear = (message: unknown): void => {
    if (isReady(message)) {
      ready = true;
      options.onReady();
    } else if (isReply(message)) {
      waiting.get(message.id)?.resolve(message.reply);
      waiting.delete(message.id);
    }
  };
  const runOnce = async (): Promise<void> => {
    child = await startChild({
      command: process.execPath,
      args: options.args,
      env: {},
      log,
      stdout: (chunk) => process.stdout.write(chunk),
      stderr: (chunk) => process.stderr.write(chunk),
      onMessage: hear,
    });
    const exit = await child.exited;
    ready = false;
    for (const { reject } of waiting.values()) reject(gone("the proxy ended before it answered"));
    waiting.clear();
    if (!stopping.signal.aborted) log.warn("the proxy ended and is started again", { ...exit });
  };
  const running = keepRunning(runOnce, { clock, log, signal: stopping.signal });

  return {
    ready: () => ready,
    send: (command) =>
      new Promise((resolve, reject) => {
        const id = nextId++;
        waiting.set(id, { resolve, reject });
        if (ready && child?.send({ id, command })) return;
        waiting.delete(id);
        reject(gone("the proxy of this node is not up"));
      }),
    async stop() {
      stopping.abort();
      child?.signal("SIGKILL");
      await running;
    },
  };
}

async function keepRunning(
  runOnce: () => Promise<void>,
  { clock, log, signal }: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  for (let early = 0; !signal.aborted;) {
    const began = clock.now().getTime();
    await runOnce().catch((error: unknown) => {
      log.error("the proxy cannot be started", { error });
    });
    early = clock.now().getTime() - began > 10_000 ? 0 : early + 1;
    // aborted: the loop looks at the signal
    await clock.sleep(backoffMs(early - 1, 50, 5_000), signal).catch(() => undefined);
  }
}

function gone(message: string): Fault {
  return new Fault(faults.proxyGone, message);
}

function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "ready" in message && message.ready === true;
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
