// A real Kubernetes on this machine, for people; tests start their own (test/kubernetes).
//   npm run -s kubernetes -- up api               a control plane: no nodes, pods never run
//   npm run -s kubernetes -- up nodes [N] [*.tar] the same with N nodes (3), which get the images of the archives
//   npm run -s kubernetes -- status
//   npm run -s kubernetes -- run COMMAND …        runs a command where pods and Services are reachable
//   npm run -s kubernetes -- down                 ends everything, the state too
// Exit codes: 0 done, 1 something failed, 2 wrong arguments, 3 not possible on this machine; `run` exits as its command does.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { messageOf } from "#kit/base/fault";
import { ensureAssets, Impossible, isLevel } from "../test/kubernetes/assets/assets.ts";
import { bringUp, insideLasting, lookAtLasting, takeDown, type Lasting } from "../test/kubernetes/lasting.ts";

const FAILED = 1;
const WRONG_ARGUMENTS = 2;
const NOT_POSSIBLE = 3;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<number> | number>> = {
  up,
  down,
  status,
  run,
};

const [name = "", ...args] = process.argv.slice(2);
try {
  process.exitCode = (await COMMANDS[name]?.(args)) ?? usage();
} catch (error) {
  say(messageOf(error));
  process.exitCode = error instanceof Impossible ? NOT_POSSIBLE : FAILED;
}

async function up([level = "api", ...rest]: readonly string[]): Promise<number> {
  const images = rest.filter((word) => word.endsWith(".tar")).map((path) => resolve(path));
  const [count = level === "nodes" ? "3" : "0", ...others] = rest.filter((word) => !word.endsWith(".tar"));
  if (!isLevel(level) || !/^\d$/.test(count) || others.length > 0) return usage();
  const began = performance.now();
  const assets = await ensureAssets(level, say);
  const { lasting, already } = await bringUp({ level, nodes: Number(count), images }, assets);
  if (already) say("it is up already, and left as it is; end it first to start another: npm run -s kubernetes -- down");
  else say(`up in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  print(describe(lasting));
  return 0;
}

async function down(): Promise<number> {
  say((await takeDown()) ? "is down, and its state gone" : "there was none");
  return 0;
}

function status(): number {
  const found = lookAtLasting();
  if (found === undefined) {
    say("there is none; start one: npm run -s kubernetes -- up api");
    return FAILED;
  }
  print([...describe(found), `running  ${found.running.join(" ")}`]);
  if (found.ended.length === 0) return 0;
  say(`ended: ${found.ended.join(" ")}; start again: npm run -s kubernetes -- up ${found.level}`);
  return FAILED;
}

function run(command: readonly string[]): number {
  const inside = insideLasting();
  const [program = "", ...rest] = [...(inside ?? []), ...command];
  if (inside === undefined) {
    say("there are no nodes; start some: npm run -s kubernetes -- up nodes");
    return FAILED;
  }
  if (command.length === 0) return usage();
  return spawnSync(program, rest, { stdio: "inherit" }).status ?? FAILED;
}

function usage(): number {
  say("give one of: up api, up nodes [1 to 9] [archive.tar …], status, run COMMAND …, down");
  return WRONG_ARGUMENTS;
}

function describe({ level, nodes, server, kubeconfig, assets }: Lasting): string[] {
  const what = level === "nodes" ? `${nodes} node(s)` : "no nodes";
  return [`server   ${server} (${what})`, `export KUBECONFIG=${kubeconfig}`, `export PATH=${assets}:$PATH`];
}

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

function say(line: string): void {
  process.stderr.write(`kubernetes: ${line}\n`);
}
