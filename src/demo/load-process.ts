import { fork, type ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
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
  const program = join(import.meta.dirname, "..", "bin", `load${extname(import.meta.filename)}`);
  const child = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const ask = conversation(child);
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

type Value = Extract<LoadAnswer, { ok: true }>["value"];

/** Answers come in the order of the questions; the end of the process is the answer to all that are open. */
function conversation(child: ChildProcess): (command: LoadCommand) => Promise<Value> {
  const open: PromiseWithResolvers<Value>[] = [];
  let ended: Error | undefined;
  child.on("message", (answer: LoadAnswer) => {
    const question = open.shift();
    if (answer.ok) question?.resolve(answer.value);
    else question?.reject(new Error(answer.message));
  });
  child.on("exit", (code, signal) => {
    ended = new Error(`the load process has ended (${signal ?? `exit code ${String(code)}`})`);
    for (const question of open.splice(0)) question.reject(ended);
  });
  return (command) => {
    if (ended !== undefined) return Promise.reject(ended);
    const question = Promise.withResolvers<Value>();
    open.push(question);
    child.send(command);
    return question.promise;
  };
}
