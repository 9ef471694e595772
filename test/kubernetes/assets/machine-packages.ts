import { execFile } from "node:child_process";
import { getuid } from "node:process";
import { promisify } from "node:util";
import { hasCommand, readDistribution } from "../../../scripts/install/private-apt.mjs";
import { SYSTEM_PATH } from "../machine/system-path.ts";
import { Impossible, type Say } from "./progress.ts";

const exec = promisify(execFile);

/** What the nodes run of the system itself: command, package of Debian and Ubuntu. */
const COMMANDS = {
  nft: "nftables",
  ip: "iproute2",
  nsenter: "util-linux",
  unshare: "util-linux",
  setpriv: "util-linux",
  mount: "mount",
} as const satisfies Record<string, string>;

/** The packages whose commands PATH lacks. */
export function missingPackages(has: (command: string) => boolean = isThere): readonly string[] {
  const missing = Object.entries(COMMANDS).filter(([command]) => !has(command));
  return [...new Set(missing.map(([, name]) => name))].sort();
}

/** Installs what is missing where that is possible: as root on Debian and Ubuntu; the message says what to install elsewhere. */
export async function ensureMachinePackages(say: Say): Promise<void> {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const wanted = missing.join(" ");
  if (getuid?.() !== 0 || readDistribution() === undefined)
    throw new Impossible(`nodes need commands that this machine lacks; install the packages: ${wanted}`);
  say(`installing with apt-get what nodes need of the system: ${wanted}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await exec("apt-get", ["-qq", "update"], { env, timeout: 300_000 });
  await exec("apt-get", ["-qq", "install", "-y", "--no-install-recommends", ...missing], { env, timeout: 300_000 });
  const still = missingPackages();
  if (still.length > 0)
    throw new Error(`apt-get installed ${wanted}, but commands of ${still.join(" ")} are not on PATH`);
}

function isThere(command: string): boolean {
  return hasCommand(command, SYSTEM_PATH);
}
