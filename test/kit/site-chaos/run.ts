import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { engineNames } from "../engines/engine.ts";
import type { SitesVerdict } from "./play.ts";
import type { Length } from "./schedule.ts";

const NEEDED = ["redis-7.0.15", "redis-8.0.2", "valkey-8.0.1", "valkey-8.1.1"];

/** One sentence on why seeds of sites cannot be played on this machine; undefined when they can. */
export function whySitesNotPlayable(): string | undefined {
  const missing = NEEDED.filter((name) => !engineNames().includes(name));
  return missing.length === 0 ? undefined : `sites need engines that this machine lacks: ${missing.join(", ")}`;
}

/** Plays one seed in a process of its own; `say` gets a line for each thing that happens. */
export async function runSitesSeed(seed: number, length: Length, say: (line: string) => void): Promise<SitesVerdict> {
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, String(seed), length], { stdio: ["ignore", "pipe", "pipe"] });
  const end = (): void => void child.kill("SIGTERM");
  process.once("exit", end);
  let verdict: SitesVerdict | undefined;
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on("line", (text) => {
    const said: { readonly verdict?: SitesVerdict; readonly line?: string } = JSON.parse(text);
    if (said.line !== undefined) say(said.line);
    verdict ??= said.verdict;
  });
  createInterface({ input: child.stderr }).on("line", (line) => complaints.push(line));
  const [code] = await once(child, "close");
  process.removeListener("exit", end);
  if (verdict === undefined) throw new Error(`seed ${seed} ended with ${code}: ${complaints.slice(-20).join("\n")}`);
  return verdict;
}
