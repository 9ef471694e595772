import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { SYSTEM_PATH } from "../machine/system-path.ts";
import type { ExecOptions, Outcome } from "./cluster.ts";

/** Runs a program to its end, whatever that is. */
export async function run(command: readonly string[], options: ExecOptions = {}): Promise<Outcome> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    env: { ...process.env, PATH: SYSTEM_PATH, ...options.env },
    timeout: options.timeoutMs ?? 60_000,
    killSignal: "SIGKILL",
  });
  child.stdin.on("error", () => undefined); // the program does not read what it is given: its outcome says so
  child.stdin.end(options.stdin);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: typeof code === "number" ? code : -1, stdout, stderr };
}

/** Standard output of a program that must succeed. */
export async function runWell(command: readonly string[], options: ExecOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, options);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${(stderr || stdout).trim()}`);
  return stdout;
}
