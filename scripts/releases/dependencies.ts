import { execFile } from "node:child_process";
import { copyFile, link, mkdir, readdir, readlink, realpath, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { asksForNoMore, isInstalled } from "../install/dependencies.mjs";

const exec = promisify(execFile);

/**
 * Installs the dependencies of the checkout in `folder` from its own lock file. Those of the checkout `ours` are taken when they
 * are all installed and its lock file asks for each of the same packages: that takes a second, and `npm ci` a minute and the network.
 */
export async function installDependencies(ours: string, folder: string): Promise<void> {
  const isEnough = isInstalled(ours) && asksForNoMore(folder, ours);
  if (isEnough) await linkAll(await realpath(join(ours, "node_modules")), join(folder, "node_modules"));
  else await exec("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder });
}

/** The same files below another name: they stay when the checkout that they come from goes, or installs others. */
async function linkAll(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkAll(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    // another file system has no name for the same file
    else await link(source, target).catch(() => copyFile(source, target));
  }
}
