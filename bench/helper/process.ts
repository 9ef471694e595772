import { fork } from "node:child_process";
import { once } from "node:events";
import type { Address } from "../../src/ports/management/proxy-control.ts";

/** Where clients connect, and the authority of its certificate when it speaks TLS. */
export interface Target extends Address {
  readonly authority?: string;
}

/** What a process of clients is told, and what it answers when that is done. */
export interface Helper<Order extends string, Answer> extends Disposable {
  readonly pid: number;
  ask(order: Order): Promise<Answer>;
}

/** `idle`: gets what all others leave of the processors, as a program that elsewhere has a machine of its own (Linux). */
export type Priority = "normal" | "idle";

/** Starts a program of a benchmark, with its task. */
export function startHelper<Order extends string, Answer>(
  file: string,
  task: object,
  priority: Priority = "normal",
): Helper<Order, Answer> {
  // a program that is started so has it in each of its threads
  const by = priority === "idle" ? { execPath: "chrt", execArgv: ["--idle", "0", process.execPath] } : {};
  const child = fork(file, [JSON.stringify(task)], { ...by, stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`${file} has ended with ${code}`);
  });
  ended.catch(() => undefined); // whoever asks is told
  return {
    pid: child.pid ?? 0,
    ask: async (order) => {
      child.send(order);
      const [answer] = (await Promise.race([once(child, "message"), ended])) as [Answer];
      return answer;
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/** The task of this process. */
export function ownTask<Task>(): Task {
  return JSON.parse(process.argv[2] ?? "{}") as Task;
}

/** Does what it is told, and ends with the one who tells it. */
export function obey<Order extends string, Answer>(act: (order: Order) => Answer | Promise<Answer>): void {
  process.on("message", (order: Order) => {
    void (async () => process.send?.(await act(order)))();
  });
  process.once("disconnect", () => process.exit(0));
}
