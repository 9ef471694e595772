import { spawnSync } from "node:child_process";
import { getuid } from "node:process";
import { readDistribution } from "../../../scripts/private-apt.mjs";
import type { Level } from "./recipe.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The oldest Go that reads the tool module. */
const OLDEST_GO = { major: 1, minor: 24 };

/** What the programs of a level need of a machine, and whether this machine has it. */
export interface MachineFacts {
  readonly platform: string;
  /** What `go version` prints; undefined when there is no go. */
  readonly go: string | undefined;
  readonly distribution: string | undefined;
  readonly isRoot: boolean;
}

/** One sentence on why the programs of `level` cannot be had on this machine; undefined when they can. */
export function whyImpossible(level: Level, env: Environment = process.env): string | undefined {
  return impossibility(level, lookAtMachine(env));
}

/** The rule behind `whyImpossible`. */
export function impossibility(level: Level, machine: MachineFacts): string | undefined {
  if (machine.platform !== "linux")
    return `the programs of Kubernetes run here on Linux only, this is ${machine.platform}`;
  if (machine.go === undefined)
    return `Kubernetes is built from its sources with Go ${OLDEST_GO.major}.${OLDEST_GO.minor} or later, and PATH has no go`;
  if (isTooOld(machine.go))
    return `Kubernetes needs Go ${OLDEST_GO.major}.${OLDEST_GO.minor} or later, this is "${machine.go}"`;
  if (level === "api") return undefined;
  if (machine.distribution === undefined)
    return "containerd and runc for the nodes come from packages of Debian or Ubuntu, this is another distribution";
  return machine.isRoot ? undefined : "nodes are made of namespaces, mounts and cgroups, which takes root";
}

function lookAtMachine(env: Environment): MachineFacts {
  const go = spawnSync("go", ["version"], { env, encoding: "utf8" });
  return {
    platform: process.platform,
    go: go.status === 0 ? go.stdout.trim() : undefined,
    distribution: readDistribution()?.id,
    isRoot: getuid?.() === 0,
  };
}

function isTooOld(said: string): boolean {
  const found = /go(\d+)\.(\d+)/.exec(said);
  const [major, minor] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  return major < OLDEST_GO.major || (major === OLDEST_GO.major && minor < OLDEST_GO.minor);
}
