import { execFileSync, spawnSync } from "node:child_process";
import { basename } from "node:path";
import { test } from "node:test";

const MARK = "STORE_TEST_OWN_NETWORK";

/**
 * True in a process with a network of its own, where packets may be dropped. Elsewhere a test is made that plays the file in such a
 * process; it is skipped where there can be none.
 */
export function inOwnNetwork(file: string): boolean {
  if (process.env[MARK] !== undefined) return true;
  test(`in a network of its own: ${basename(file)}`, (context) => {
    const why = whyNoNetwork();
    if (why !== undefined) return context.skip(why);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const played = playedInOwnNetwork(["--test", "--test-reporter=spec", file], { ...env, [MARK]: "1" }, "pipe");
    if (played.status !== 0) throw new Error(`${played.stdout}${played.stderr}`);
  });
  return false;
}

/** Why this machine has no networks of their own for processes; undefined when it has. */
function whyNoNetwork(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a network of its own takes root on Linux";
  const tried = spawnSync("unshare", ["--net", "sh", "-c", "ip link set lo up && nft add table inet probe"]);
  return tried.status === 0 ? undefined : "this machine has no unshare, ip or nft, or lets root make no network";
}

/** Runs node with these arguments in a network of its own, to its end. */
export function playedInOwnNetwork(args: readonly string[], env: NodeJS.ProcessEnv, stdio: "inherit" | "pipe") {
  const command = ["--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", process.execPath, ...args];
  return spawnSync("unshare", command, { env, stdio, encoding: "utf8" });
}

/** From now on no packet goes to or comes from this address, in this network. */
export function vanish(host: string): void {
  drop(`gone_${host.replaceAll(".", "_")}`, [`ip daddr ${host}`, `ip saddr ${host}`]);
}

/** From now on no packet goes to this address, in this network; what it sends arrives. */
export function deafen(host: string): void {
  drop(`deaf_${host.replaceAll(".", "_")}`, [`ip daddr ${host}`]);
}

function drop(table: string, packets: readonly string[]): void {
  const rules = packets.map((which) => `${which} drop\n`).join("");
  const input = `table inet ${table} {\nchain in { type filter hook input priority 0\n${rules}}\n}\n`;
  execFileSync("nft", ["-f", "-"], { input });
}
