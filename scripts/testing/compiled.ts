import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { NODE_ARGS } from "../../src/bin/node-args.ts";

/**
 * The folder where Node keeps what it compiles, for all runs of this checkout: a program that finds itself there starts in a third of the time.
 * The first run compiles every program, because those that a test kills keep nothing.
 */
export function compiledFolder(root: string): string {
  const folder = join(root, "node_modules/.cache/compiled");
  if (!existsSync(folder)) {
    const imports = PROGRAMS.map((name) => `await import("./src/bin/${name}.ts");`).join("");
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    // what is compiled depends on some options of Node
    for (const options of [[], NODE_ARGS])
      execFileSync(process.execPath, [...options, "--input-type=module", "--eval", imports], { cwd: root, env });
  }
  return folder;
}

const PROGRAMS = ["operator", "agent", "starter", "proxy", "link", "mover", "backup", "rigger", "definitions", "world"];
