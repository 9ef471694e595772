// Brings promtool, which checks the alert rules, out of the distribution's package of Prometheus; nothing of the system is changed:
//   npm run promtool
// Exit codes: 0 it is there, 1 something failed, 3 not possible on this machine.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempDisposableSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "#kit/base/fault";
import { PROMTOOL } from "./install/promtool.ts";
import { privateApt, readDistribution, type Distribution } from "./install/private-apt.mjs";

const FAILED = 1;
const NOT_POSSIBLE = 3;

process.exitCode = await main();

async function main(): Promise<number> {
  if (existsSync(PROMTOOL)) {
    say(`it is there: ${PROMTOOL}`);
    return 0;
  }
  const distribution = readDistribution();
  if (distribution === undefined) {
    say(`no package of Debian or Ubuntu can be had here. Remedy: install Prometheus, and name promtool by PROMTOOL`);
    return NOT_POSSIBLE;
  }
  try {
    await bring(distribution);
    return 0;
  } catch (error) {
    say(messageOf(error));
    return FAILED;
  }
}

async function bring(distribution: Distribution): Promise<void> {
  using work = mkdtempDisposableSync(join(tmpdir(), "promtool-"));
  const apt = await privateApt(work.path, distribution, [distribution.codename]);
  await apt.get(["download", "prometheus"]);
  const archive = readdirSync(work.path).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt-get downloaded no package of the name prometheus");
  execFileSync("dpkg", ["-x", join(work.path, archive), join(work.path, "root")]);
  mkdirSync(dirname(PROMTOOL), { recursive: true });
  copyFileSync(join(work.path, "root/usr/bin/promtool"), PROMTOOL);
  say(`${archive.split("_", 2).join(" ")}: ${PROMTOOL}`);
}

function say(line: string): void {
  process.stderr.write(`promtool: ${line}\n`);
}
