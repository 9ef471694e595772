import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { privateApt, readDistribution } from "../../../scripts/install/private-apt.mjs";
import { Impossible, type Say } from "./progress.ts";
import { PACKAGED_PROGRAMS, packagesOf } from "./recipe.ts";

const exec = promisify(execFile);

/** Puts containerd, runc and the network plugins into `folder`, out of the distribution's packages; nothing is installed. */
export async function fetchPackagedPrograms(folder: string, say: Say): Promise<void> {
  const distribution = readDistribution();
  if (distribution === undefined) throw new Impossible("this machine has no packages of Debian or Ubuntu");
  const { suites, packages } = packagesOf(distribution);
  say(`unpacking ${packages.join(", ")} of ${distribution.id} (the system is not touched)`);
  const work = mkdtempSync(join(folder, ".packages-"));
  try {
    const apt = await privateApt(work, distribution, suites);
    mkdirSync(join(work, "debs"));
    await apt.get(["download", ...packages], join(work, "debs"));
    for (const deb of readdirSync(join(work, "debs")))
      await exec("dpkg", ["-x", join(work, "debs", deb), join(work, "root")]);
    for (const [from, to] of Object.entries(PACKAGED_PROGRAMS)) {
      mkdirSync(dirname(join(folder, to)), { recursive: true });
      copyFileSync(realpathSync(join(work, "root", from)), join(folder, to));
      chmodSync(join(folder, to), 0o755);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  // both need libraries of the system, which an old one may not have
  for (const program of ["containerd", "runc"]) await exec(join(folder, program), ["--version"]);
}
