import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { LoadNumbers, LoadOptions, LoadResult } from "./load.ts";
import type { Phase } from "./phases.ts";

/** What the story tells the load process; each gets exactly one answer. */
export type LoadCommand =
  | { readonly op: "start"; readonly options: LoadOptions }
  | { readonly op: "enter"; readonly phase: Phase }
  | { readonly op: "numbers" | "engine" | "finish" };

export type LoadAnswer =
  | { readonly ok: true; readonly value: LoadNumbers | LoadResult | string | null }
  | { readonly ok: false; readonly message: string };

/** The load in a process of its own, so that measuring does not share an event loop with what is measured. */
export interface LoadProcess {
  enter(phase: Phase): Promise<void>;
  numbers(): Promise<LoadNumbers>;
  engine(): Promise<string>;
  finish(): Promise<LoadResult>;
  kill(): void;
}

/** Resolves once every client is connected. */
export async function startLoadProcess(options: LoadOptions): Promise<LoadProcess> {
  const child = fork(join(import.meta.dirname, "..", "bin", "load.ts"), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let last: Promise<unknown> = Promise.resolve();
  const ask = (command: LoadCommand): Promise<unknown> => {
    const answer = last.then(async () => {
      if (!child.connected) throw new Error("the load process has ended before the story did");
      child.send(command);
      const [reply] = (await Promise.race([
        once(child, "message"),
        once(child, "exit").then(([code]) => [
          { ok: false, message: `the load process ended with exit code ${String(code)}` },
        ]),
      ])) as [LoadAnswer];
      if (!reply.ok) throw new Error(reply.message);
      return reply.value;
    });
    last = answer.catch(() => undefined); // whoever asked gets the failure; the next question is still asked
    return answer;
  };
  await ask({ op: "start", options });
  return {
    enter: async (phase) => {
      await ask({ op: "enter", phase });
    },
    numbers: async () => (await ask({ op: "numbers" })) as LoadNumbers,
    engine: async () => (await ask({ op: "engine" })) as string,
    finish: async () => {
      const result = (await ask({ op: "finish" })) as LoadResult;
      child.kill();
      return result;
    },
    kill: () => {
      child.kill("SIGKILL");
    },
  };
}
