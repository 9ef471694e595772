#!/usr/bin/env node
import { reportAndExit } from "./exit.ts";

interface Program {
  /** What it is, for a person who asks. */
  readonly does: string;
  /** What stands after its name. */
  readonly takes: string;
  /** Loaded only when it is the one that runs. */
  readonly load: () => Promise<{ main(args: readonly string[]): Promise<void> }>;
}

/** Each program of the image. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  operator: { does: "the operator of a namespace, with its webhook", takes: "", load: () => import("./operator.ts") },
  agent: { does: "one node of a cluster", takes: "", load: () => import("./agent.ts") },
  starter: { does: "starts the engines of a node for its agent", takes: "", load: () => import("./starter.ts") },
  proxy: { does: "the endpoints of a node; its agent starts it", takes: "", load: () => import("./proxy.ts") },
  link: { does: "the links of a node to other sites; its agent starts it", takes: "", load: () => import("./link.ts") },
  mover: {
    does: "passes the keys of shards on to others; an agent starts it",
    takes: "",
    load: () => import("./mover.ts"),
  },
  backup: { does: "takes a backup of a database; an agent starts it", takes: "", load: () => import("./backup.ts") },
  rigger: { does: "the services and addresses of databases", takes: "", load: () => import("./rigger.ts") },
  definitions: { does: "applies the definitions of this release", takes: "", load: () => import("./definitions.ts") },
  world: { does: "a Kubernetes on this machine", takes: " --dir <folder>", load: () => import("./world.ts") },
};

const [name = "", ...args] = process.argv.slice(2);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
if ([name, ...args].some(isHelp)) process.stdout.write(program === undefined ? usage() : usageOf(name, program));
else if (program === undefined)
  refuse(
    `${name === "" ? "no program is named" : `unknown program "${name}"`}; one of: ${Object.keys(PROGRAMS).join(", ")}`,
  );
else if (program.takes === "" && args.length > 0)
  refuse(`${name} takes no arguments, and "${args.join(" ")}" was given; what it needs is in its environment`);
else
  await program
    .load()
    .then(({ main }) => main(args))
    .catch(reportAndExit);

function isHelp(arg: string): boolean {
  return arg === "--help" || arg === "-h";
}

function usage(): string {
  const lines = Object.entries(PROGRAMS).map(([each, { does, takes }]) => `  ${`${each}${takes}`.padEnd(24)}${does}\n`);
  return `usage: store <program>\n${lines.join("")}`;
}

function usageOf(called: string, { does, takes }: Program): string {
  return `usage: store ${called}${takes}\n  ${does}\n`;
}

function refuse(why: string): void {
  process.stderr.write(`store: ${why}\n`);
  process.exitCode = 2;
}
