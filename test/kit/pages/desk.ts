import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtempDisposable, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { startShell, type Shell } from "../world/shell.ts";

const exec = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");
const ENGINE = join(ROOT, ".engines/redis-8.0.2/bin");

/** A folder that looks like a checkout that is set up, and the shell of a reader who has it open. */
export interface Desk extends AsyncDisposable {
  readonly dir: string;
  readonly shell: Shell;
}

/** Why no page can be typed here, with the kubectls that were found; false when it can. */
export function untypable(kubectls: readonly unknown[]): string | false {
  if (kubectls.length === 0) return "no kubectl here: see https://kubernetes.io/docs/tasks/tools/";
  return existsSync(join(ENGINE, "redis-cli")) ? false : "no redis-cli here: run npm run setup";
}

/** Makes the folder, with redis-cli and storectl on PATH; its local world goes with it. */
export async function openDesk(): Promise<Desk> {
  await using stack = new AsyncDisposableStack();
  const dir = stack.use(await mkdtempDisposable(join(tmpdir(), "desk-"))).path;
  const entries = await readdir(ROOT);
  for (const entry of entries.filter((name) => ![".git", ".local"].includes(name)))
    await symlink(join(ROOT, entry), join(dir, entry));
  await mkdir(join(dir, ".local"), { mode: 0o700 });
  const PATH = [join(ROOT, "bin"), ENGINE, process.env["PATH"]].join(delimiter);
  const env = { ...process.env, PATH, HOME: dir, STORE_LOCAL_DIR: join(dir, ".local"), TZ: "UTC" };
  stack.defer(async () => void (await exec("storectl", ["local", "down"], { env })));
  const shell = stack.use(startShell(dir, env));
  const owned = stack.move();
  return { dir, shell, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
