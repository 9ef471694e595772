import { execFile } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { BuiltRelease } from "./build.ts";

const exec = promisify(execFile);

/** Writes the chart of a kept release, as its own code makes it, into the folder `target`, and returns that. */
export async function writeChart({ command, folder, runsAs }: BuiltRelease, target: string): Promise<string> {
  cpSync(join(folder, "deploy/chart"), target, { recursive: true });
  const [node = ""] = command;
  const url = (path: string): string => JSON.stringify(pathToFileURL(join(folder, "src/core/releases", path)).href);
  const program = `
    const { chartFor } = await import(${url("bundle/chart.ts")});
    const { releaseByOperator } = await import(${url("catalogue/find.ts")});
    process.stdout.write(JSON.stringify(chartFor(releaseByOperator("${runsAs.operator}"))));`;
  const { stdout } = await exec(node, ["--input-type=module", "--eval", program], { maxBuffer: 64 * 1024 * 1024 });
  const files: readonly { path: string; text: string }[] = JSON.parse(stdout);
  for (const { path, text } of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  return target;
}
