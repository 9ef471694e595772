// Makes a fresh checkout ready: dependencies, then engines; then runs the file named by the arguments on Node 24.
// Node built-ins only, and must run on Node 20: nothing is installed yet when it starts. Quick when there is nothing to do.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureEngines } from "./install/engines.mjs";

const ROOT = join(import.meta.dirname, "..");
const NODE_24 = join(ROOT, "node_modules", ".bin", "node");

try {
  ensureDependencies();
  await ensureEngines(ROOT);
} catch (error) {
  process.stderr.write(`setup: ${error.message}\n`);
  process.exit(1);
}
const [program, ...args] = process.argv.slice(2);
if (program !== undefined) run(program, args);

/** `npm ci`, unless what is installed came from this very lock file. */
function ensureDependencies() {
  const stamp = join(ROOT, "node_modules", ".setup-stamp");
  const wanted = createHash("sha256")
    .update(readFileSync(join(ROOT, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  process.stderr.write("setup: installing dependencies (npm ci)\n");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (npm.status !== 0) throw new Error("npm ci failed; its own words are above. Remedy: npm ci");
  if (!existsSync(NODE_24))
    throw new Error(`${NODE_24} is missing: npm skipped the install scripts. Remedy: npm rebuild node`);
  writeFileSync(stamp, wanted);
}

/** Hands the terminal to the program: it gets the signals, and its exit code becomes ours. */
function run(file, args) {
  const env = { ...process.env, PATH: `${join(ROOT, "node_modules", ".bin")}:${process.env.PATH}` };
  const child = spawn(NODE_24, [join(ROOT, file), ...args], { stdio: "inherit", env });
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
