import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Say } from "./progress.ts";
import { GO_PROGRAMS, MODULE, VERSION, type Level } from "./recipe.ts";

/** Builds the Go programs of `level` into `folder`; the first time takes minutes, later ones Go's own cache answers. */
export async function buildWithGo(level: Level, folder: string, say: Say): Promise<void> {
  const programs = Object.entries(GO_PROGRAMS[level]);
  say(`building ${programs.map(([name]) => name).join(", ")} (${VERSION}) with go; minutes the first time`);
  for (const [name, program] of programs) {
    const began = performance.now();
    await build(program, join(folder, name));
    say(`built ${name} in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
}

/** What the programs answer when they are asked for their version. */
function versionFlags(): string {
  const [major = "", minor = ""] = VERSION.slice(1).split(".");
  const values = { gitVersion: VERSION, gitMajor: major, gitMinor: minor, gitTreeState: "clean", gitCommit: "" };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

async function build(program: string, target: string): Promise<void> {
  const args = [
    "build",
    "-mod=readonly",
    "-buildvcs=false",
    "-ldflags",
    `-s -w ${versionFlags()}`,
    "-o",
    target,
    program,
  ];
  const child = spawn("go", args, {
    cwd: MODULE,
    env: { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`go could not build ${program}:\n${said.trim().split("\n").slice(-15).join("\n")}`);
}
