import { spawn, spawnSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Verdict } from "./verdict.ts";
import { verdictOf } from "./verdict-of.ts";

/** Namespaces of its own: all that is made in them, and every process, ends with the first process. */
const APART = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
const COMMANDS = ["unshare", "ip", "nft", "mount", "fallocate", "cc"];

/** One sentence on why seeds cannot be played on this machine; undefined when they can. */
export function whyNotPlayable(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    return "nodes with networks of their own take root on Linux";
  const missing = COMMANDS.filter((command) => spawnSync("which", [command]).status !== 0);
  if (missing.length > 0)
    return `nodes with networks of their own need commands that this machine lacks: ${missing.join(", ")}`;
  const canMake = spawnSync("unshare", [...APART, "ip", "link", "add", "probe", "type", "bridge"]).status === 0;
  return canMake ? undefined : "this machine lets root make no namespaces with a network";
}

/** What a seed is played with. */
export interface Run {
  readonly seed: number;
  /** How many faults it has at most. */
  readonly most: number;
  /** Files of a seed that failed stay there. */
  readonly folder: string;
  /** Settings of both databases as `POST /v1/bdbs` takes them, in JSON. */
  readonly settings: string;
  /** Gets a line for each thing that happens. */
  readonly say: (line: string) => void;
}

/** Plays one seed in a process of its own. */
export async function runSeed({ seed, most, folder, settings, say }: Run): Promise<Verdict> {
  await mkdir(folder, { recursive: true });
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn("unshare", [...APART, process.execPath, main, String(seed), String(most), folder, settings], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
  });
  return verdictOf<Verdict>({ seed, child, endSignal: "SIGKILL", say });
}
