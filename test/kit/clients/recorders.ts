import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { messageOf } from "../../../src/core/base/fault.ts";
import type { Operation } from "../linearizability/history.ts";

/** A client library as released, and the program that plays a client with it. */
export interface Library {
  readonly name: "ioredis" | "node-redis" | "redis-py" | "go-redis";
  /** Followed by host, port and the name of the client. */
  readonly command: readonly string[];
}

/** A client under way. */
export interface Recorder extends AsyncDisposable {
  readonly operations: readonly Operation[];
  /** Ends after the request that is under way; rejects when the program failed. */
  stop(): Promise<void>;
}

const exec = promisify(execFile);
const HERE = import.meta.dirname;

/** The libraries of Node.js, and those of Python and Go where this machine has the language; `missing` says why others are not there. */
export async function libraries(): Promise<{
  readonly found: readonly Library[];
  readonly missing: readonly string[];
}> {
  const script = join(HERE, "recorder.ts");
  const found: Library[] = (["ioredis", "node-redis"] as const).map((name) => ({
    name,
    command: [process.execPath, script, name],
  }));
  const missing: string[] = [];
  for (const [name, build] of [
    ["redis-py", buildPython],
    ["go-redis", buildGo],
  ] as const)
    try {
      found.push({ name, command: await build() });
    } catch (error) {
      missing.push(`${name}: ${messageOf(error)}`);
    }
  return { found, missing };
}

async function buildPython(): Promise<readonly string[]> {
  const requirements = join(HERE, "requirements.txt");
  const folder = await cacheOf("redis-py", requirements);
  const python = join(folder, "bin/python3");
  const done = join(folder, "done");
  if (!existsSync(done)) {
    await exec("python3", ["-m", "venv", folder]);
    const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "-r", requirements];
    await exec(python, ["-m", "pip", "install", ...options]);
    await mkdir(done, { recursive: true });
  }
  return [python, join(HERE, "recorder.py")];
}

async function buildGo(): Promise<readonly string[]> {
  const source = join(HERE, "go");
  const program = join(await cacheOf("go-redis", join(source, "main.go"), join(source, "go.sum")), "recorder");
  if (!existsSync(program)) await exec("go", ["build", "-o", program, "."], { cwd: source });
  return [program];
}

/** A folder for what these files make, kept for all checkouts. */
async function cacheOf(name: string, ...files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "store-enterprise", "clients", `${name}-${hash.digest("hex").slice(0, 16)}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Starts a client; its operations are there as soon as they are done. `once`: what may have been executed is not sent again. */
export function startRecorder(
  { command, name }: Library,
  { host, port }: { readonly host: string; readonly port: number },
  client: string,
  attempts: "several" | "once" = "several",
): Recorder {
  const [program = "", ...args] = command;
  const child = spawn(program, [...args, host, String(port), client, attempts], { stdio: ["pipe", "pipe", "pipe"] });
  const operations: Operation[] = [];
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => operations.push(JSON.parse(line)));
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const ended = once(child, "close");
  return {
    operations,
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
