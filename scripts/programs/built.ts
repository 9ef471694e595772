import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { NODE_ARGS } from "../../src/bin/node-args.ts";
import { BACKUP_NODE_ARGS } from "../../src/programs/backup/node-args.ts";
import { PROXY_NODE_ARGS } from "../../src/programs/proxy/node-args.ts";
import { bundlePrograms, PROGRAMS } from "./bundle.ts";

/**
 * Builds the programs of this checkout as they are published, in its cache, and keeps what Node.js compiles of them: a program that finds that starts in a
 * third of the time. Each state of the sources has a folder of its own, so that runs beside each other use their own. Resolves
 * to what tests need in their environment.
 */
export async function builtPrograms(
  root: string,
): Promise<Readonly<Record<"STORE_PROGRAMS" | "NODE_COMPILE_CACHE", string>>> {
  const cache = join(root, "node_modules/.cache");
  const compiled = join(cache, "compiled");
  mkdirSync(cache, { recursive: true });
  removeOld(cache);
  const made = mkdtempSync(join(cache, `${FOLDER}new-`));
  await bundlePrograms({ checkout: root, out: made });
  const folder = join(cache, `${FOLDER}${digestOf(made)}`);
  if (existsSync(folder)) rmSync(made, { recursive: true });
  else {
    renameSync(made, folder);
    compile(folder, compiled);
  }
  return { STORE_PROGRAMS: folder, NODE_COMPILE_CACHE: compiled };
}

const FOLDER = "programs-";
const DAY_MS = 86_400_000;

/** What was built more than a day ago is of a former state, or is built again in seconds. */
function removeOld(cache: string): void {
  for (const folder of globSync(`${FOLDER}*`, { cwd: cache }).map((name) => join(cache, name)))
    if (Date.now() - statSync(folder).mtimeMs > DAY_MS) rmSync(folder, { recursive: true, force: true });
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const name of globSync("*", { cwd: folder }).toSorted())
    hash.update(`${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 16);
}

/** Programs that a test kills keep nothing of what was compiled, and what was depends on some options of Node.js. */
function compile(folder: string, compiled: string): void {
  const imports = PROGRAMS.map((name) => `await import("${pathToFileURL(join(folder, `${name}.js`)).href}");`).join("");
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  for (const options of [[], NODE_ARGS, PROXY_NODE_ARGS, BACKUP_NODE_ARGS])
    execFileSync(process.execPath, [...options, "--input-type=module", "--eval", imports], { env });
}
