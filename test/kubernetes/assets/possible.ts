import { spawnSync } from "node:child_process";
import { getuid } from "node:process";
import { readDistribution } from "../../../scripts/install/private-apt.mjs";
import { hasWritableCgroups } from "../machine/cgroups.ts";
import { SYSTEM_PATH } from "../machine/system-path.ts";
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
  /** Whether control groups can be made, and namespaces with mounts: a container may allow neither, even to root. */
  readonly hasCgroups: boolean;
  readonly hasNamespaces: boolean;
}

/** What of a machine decides whether nodes can run there at all. */
type NodeFacts = Pick<MachineFacts, "platform" | "isRoot" | "hasCgroups" | "hasNamespaces">;

/** One sentence on why the programs of `level` cannot be had on this machine; undefined when they can. */
export function whyImpossible(level: Level, env: Environment = process.env): string | undefined {
  return impossibility(level, lookAtMachine(env));
}

/** One sentence on why nodes cannot run on this machine, built or not; undefined when they can. */
export function whyNoNodes(): string | undefined {
  return obstacleToNodes(lookForNodes());
}

/** The rule behind `whyImpossible`. */
export function impossibility(level: Level, machine: MachineFacts): string | undefined {
  const obstacle = level === "nodes" ? obstacleToNodes(machine) : undefined;
  if (obstacle !== undefined) return obstacle;
  if (machine.platform !== "linux")
    return `the programs of Kubernetes run here on Linux only, this is ${machine.platform}`;
  if (machine.go === undefined)
    return `Kubernetes is built from its sources with Go ${OLDEST_GO.major}.${OLDEST_GO.minor} or later, and PATH has no go`;
  if (isTooOld(machine.go))
    return `Kubernetes needs Go ${OLDEST_GO.major}.${OLDEST_GO.minor} or later, this is "${machine.go}"`;
  if (level === "api" || machine.distribution !== undefined) return undefined;
  return "containerd and runc for the nodes come from packages of Debian or Ubuntu, this is another distribution";
}

function obstacleToNodes({ platform, isRoot, hasCgroups, hasNamespaces }: NodeFacts): string | undefined {
  if (platform !== "linux") return `the programs of Kubernetes run here on Linux only, this is ${platform}`;
  if (!isRoot) return "nodes are made of namespaces, mounts and cgroups, which takes root";
  if (!hasCgroups) return "nodes need control groups, and /sys/fs/cgroup is missing or read-only here";
  return hasNamespaces
    ? undefined
    : "nodes are made of namespaces and mounts, which this machine refuses even to root (a container without privileges?)";
}

function lookAtMachine(env: Environment): MachineFacts {
  const go = spawnSync("go", ["version"], { env, encoding: "utf8" });
  return {
    go: go.status === 0 ? go.stdout.trim() : undefined,
    distribution: readDistribution()?.id,
    ...lookForNodes(),
  };
}

function lookForNodes(): NodeFacts {
  const { platform } = process;
  if (platform !== "linux") return { platform, isRoot: false, hasCgroups: false, hasNamespaces: false };
  const isRoot = getuid?.() === 0;
  return { platform, isRoot, hasCgroups: hasWritableCgroups(), hasNamespaces: !isRoot || hasNamespaces() };
}

/** A machine without the command gets it with the packages of nodes. */
function hasNamespaces(): boolean {
  const env = { ...process.env, PATH: SYSTEM_PATH };
  const { status, error } = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"], { env });
  return error !== undefined || status === 0;
}

function isTooOld(said: string): boolean {
  const found = /go(\d+)\.(\d+)/.exec(said);
  const [major, minor] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  return major < OLDEST_GO.major || (major === OLDEST_GO.major && minor < OLDEST_GO.minor);
}
