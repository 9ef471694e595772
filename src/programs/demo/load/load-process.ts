import { spawn, type ChildProcessByStdio } from "node:child_process";
import { extname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { messageOf } from "#kit/base/fault";
import { linesOf } from "#kit/kube/lines";
import type { LoadNumbers, LoadOptions, LoadResult } from "./clients.ts";
import type { Phase } from "./phases.ts";

/** A command to the load process, one JSON text per line. Each gets exactly one answer, in the same order. */
export type LoadCommand =
  | { readonly op: "start"; readonly options: LoadOptions }
  | { readonly op: "enter"; readonly phase: Phase }
  | { readonly op: "numbers" | "engine" | "finish" };

export type LoadAnswer =
  | { readonly ok: true; readonly value: LoadNumbers | LoadResult | string | null }
  | { readonly ok: false; readonly message: string };

type Value = Extract<LoadAnswer, { ok: true }>["value"];

const MAX_ANSWER_BYTES = 1024 * 1024;

/** The load in a process of its own, so that measuring does not share an event loop with what is measured. */
export interface LoadProcess {
  enter(phase: Phase): Promise<void>;
  numbers(): Promise<LoadNumbers>;
  engine(): Promise<string>;
  finish(): Promise<LoadResult>;
  kill(): void;
}

/** Resolves once every client is connected; otherwise the process is ended, and the error says what kept a client from it. `command` runs the program somewhere else, for instance by `kubectl exec`. */
export async function startLoadProcess(options: LoadOptions, command = localCommand()): Promise<LoadProcess> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ask = conversation(child);
  try {
    await ask({ op: "start", options });
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
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

function localCommand(): readonly string[] {
  return [process.execPath, join(import.meta.dirname, "..", "..", "..", "bin", `load${extname(import.meta.filename)}`)];
}

/** Answers come in the order of the commands. The end of the process rejects all commands that are open. */
function conversation(child: ChildProcessByStdio<Writable, Readable, null>): (command: LoadCommand) => Promise<Value> {
  const open: PromiseWithResolvers<Value>[] = [];
  let ended: Error | undefined;
  const end = (error: Error): void => {
    ended ??= error;
    for (const pending of open.splice(0)) pending.reject(ended);
  };
  child.on("error", (error) => end(new Error(`the load process cannot be started: ${error.message}`)));
  child.on("exit", (code, signal) => {
    end(new Error(`the load process has ended (${signal ?? `exit code ${String(code)}`})`));
  });
  child.stdin.on("error", () => undefined); // the exit event reports its end
  void (async () => {
    for await (const line of linesOf(child.stdout, MAX_ANSWER_BYTES)) {
      const answer: LoadAnswer = JSON.parse(line);
      const pending = open.shift();
      if (answer.ok) pending?.resolve(answer.value);
      else pending?.reject(new Error(answer.message));
    }
  })().catch((error: unknown) => end(new Error(`the load process cannot be understood: ${messageOf(error)}`)));
  return (command) => {
    if (ended !== undefined) return Promise.reject(ended);
    const pending = Promise.withResolvers<Value>();
    open.push(pending);
    child.stdin.write(`${JSON.stringify(command)}\n`);
    return pending.promise;
  };
}
