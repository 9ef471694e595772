// Makes a fresh checkout ready: dependencies, then engines; then runs the file named by the arguments on Node 24.
// Node built-ins only, and must run on Node 20: nothing is installed yet when it starts. Quick when there is nothing to do.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, markInstalled } from "./install/dependencies.mjs";
import { ensureEngines } from "./install/engines.mjs";

const ROOT = join(import.meta.dirname, "..");
const NODE_24 = join(ROOT, "node_modules", ".bin", "node");
const CLOSED_PIPE = new URL("install/closed-pipe.mjs", import.meta.url).href;

try {
  ensureDependencies();
  await ensureEngines(ROOT);
} catch (error) {
  process.stderr.write(`setup: ${error.message}\n`);
  process.exit(1);
}
const [program, ...args] = process.argv.slice(2);
if (program !== undefined) run(program, args);

/** `npm ci`, unless the packages of the lock file are installed. */
function ensureDependencies() {
  if (isInstalled(ROOT)) return;
  process.stderr.write("setup: installing dependencies (npm ci)\n");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) throw new Error("npm ci failed; its own words are above. Remedy: npm ci");
  if (!existsSync(NODE_24))
    throw new Error(`${NODE_24} is missing: npm skipped the install scripts. Remedy: npm rebuild node`);
  markInstalled(ROOT);
}

/** Hands the terminal to the program: it gets the signals, and its exit code becomes ours. */
function run(file, args) {
  const env = { ...process.env, PATH: `${join(ROOT, "node_modules", ".bin")}:${process.env.PATH}` };
  const child = spawn(NODE_24, ["--import", CLOSED_PIPE, join(ROOT, file), ...args], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // Ctrl-C reaches the child, which is in the same group; a signal sent to us alone has to be passed on.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  if (process.env.npm_lifecycle_event !== undefined) endWithParent(child);
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}

/** The shell that npm starts us by passes no signal on: when npm is ended, all that we notice is that this shell is gone. */
function endWithParent(child) {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    child.kill("SIGTERM");
  }, 500);
  look.unref();
}
