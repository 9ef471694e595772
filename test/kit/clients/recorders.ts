import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Operation } from "../linearizability/history.ts";
import type { Library } from "./libraries.ts";

/**
 * How the library is used: as it is made without any option; with the settings of docs/upgrades.md; so that it does not send again what
 * may have been executed; its client for a cluster.
 */
export type Attempts = "default" | "several" | "once" | "cluster";

/** A client under way. */
export interface Recorder extends AsyncDisposable {
  readonly operations: readonly Operation[];
  /** What the library said of each request that failed. */
  readonly failures: readonly string[];
  /** Ends after the request that is under way; rejects when the program failed. */
  stop(): Promise<void>;
}

/** Starts a client; its operations are there as soon as they are done. */
export function startRecorder(
  { command, name }: Library,
  { host, port }: { readonly host: string; readonly port: number },
  client: string,
  attempts: Attempts = "several",
): Recorder {
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, host, String(port), client, attempts], { stdio: ["pipe", "pipe", "pipe"] });
  const operations: Operation[] = [];
  const failures: string[] = [];
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => operations.push(JSON.parse(line)));
  createInterface({ input: child.stderr }).on("line", (line) => {
    complaints.push(line);
    if (line.startsWith(`${client}: `)) failures.push(line.slice(client.length + 2));
  });
  const ended = once(child, "close");
  return {
    operations,
    failures,
    stop: async () => {
      child.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`${client} (${name}) ended with ${code}: ${complaints.slice(-20).join("\n")}`);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
