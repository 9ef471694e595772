import { spawn } from "node:child_process";
import { join } from "node:path";
import { verdictOf } from "../chaos/verdict-of.ts";
import { engineNames } from "../engines/engine.ts";
import type { SitesVerdict } from "./play.ts";
import type { SeedKind } from "./schedule.ts";

const NEEDED = ["redis-7.0.15", "redis-8.0.2", "valkey-8.0.1", "valkey-8.1.1"];

/** One sentence on why seeds of sites cannot be played on this machine; undefined when they can. */
export function whySitesNotPlayable(): string | undefined {
  const missing = NEEDED.filter((name) => !engineNames().includes(name));
  return missing.length === 0 ? undefined : `sites need engines that this machine lacks: ${missing.join(", ")}`;
}

/** How a seed is played. */
export interface SeedOptions extends SeedKind {
  /** Requests a second of the client of each site; undefined: a dozen at a time. */
  readonly rate: number | undefined;
}

/** Plays one seed in a process of its own; `say` gets a line for each thing that happens. */
export async function runSitesSeed(
  seed: number,
  { length, rate, power }: SeedOptions,
  say: (line: string) => void,
): Promise<SitesVerdict> {
  const main = join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, String(seed), length, String(rate ?? "all"), power ? "power" : ""], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  return verdictOf<SitesVerdict>({ seed, child, endSignal: "SIGTERM", say });
}
