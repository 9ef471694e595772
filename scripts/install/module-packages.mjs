// Lays packages of modules beside the engines in .engines, where nodes look for them: <engine>/lib/<family>/modules.
// Node built-ins only, Node 20.
import { execFile, spawn } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { privateApt, readDistribution } from "./private-apt.mjs";

const exec = promisify(execFile);

/**
 * Each package with the engines that it is for, and what shows that it works there. This one was built for redis 7.0; valkey 8.1
 * loads it too and then hangs at FT.CREATE.
 */
const PACKAGES = [
  {
    distribution: "debian",
    suite: "bookworm",
    name: "redis-redisearch",
    library: "usr/lib/redis/modules/redisearch.so",
    engine: /^redis-7\.0\.\d+$/,
    trial: [
      [["FT.CREATE", "index", "SCHEMA", "title", "TEXT"], /^OK/],
      [["FT.ADD", "index", "book", "1.0", "FIELDS", "title", "moving house"], /^OK/],
      [["FT.SEARCH", "index", "moving"], /^1\b/],
    ],
  },
];
/** Beside the shared objects: a line with name and version of each package that they are from. */
const LIST = "packages";
const START_MS = 10_000;
const CALL_MS = 5_000;

/**
 * Brings the packages that are missing beside the engines in `folder`. apt checks what it downloads against the signed lists of the
 * distribution. Engines work without a package: one that cannot be had is said, and not asked for again while its empty folder is there.
 */
export async function ensureModulePackages(folder) {
  const distribution = readDistribution();
  if (distribution === undefined || !fs.existsSync(folder)) return;
  for (const wanted of PACKAGES.filter(({ distribution: id }) => id === distribution.id)) {
    for (const home of homesOf(folder, wanted)) {
      if (fs.existsSync(modulesOf(home))) continue;
      await lay(home, distribution, wanted).catch((error) => {
        if (fs.existsSync(modulesOf(home))) return; // another setup was faster
        fs.mkdirSync(modulesOf(home), { recursive: true });
        process.stderr.write(
          `setup: the module package ${wanted.name} is not beside ${home}: ${lastLine(error)}. ` +
            `Databases cannot use its module. Remedy: rm -r ${join(home, "lib")} && npm run setup\n`,
        );
      });
    }
  }
}

/** Throws when a package that lies beside an engine in `folder` does not work there. */
export async function tryPackages(folder) {
  for (const home of fs.readdirSync(folder).map((name) => resolve(folder, name))) {
    const list = join(modulesOf(home), LIST);
    const names = fs.existsSync(list) ? fs.readFileSync(list, "utf8").split(/\s/) : [];
    for (const { library, trial } of PACKAGES.filter(({ name }) => names.includes(name)))
      await tryOut(home, join(modulesOf(home), basename(library)), trial);
  }
}

/** Engines of this folder that came out of packages; the shared object is for this machine like them. */
function homesOf(folder, { engine }) {
  const names = fs.readdirSync(folder).filter((name) => engine.test(name));
  return names.map((name) => join(folder, name)).filter((home) => fs.existsSync(join(home, "root")));
}

function modulesOf(home) {
  return join(home, "lib/redis/modules");
}

async function lay(home, distribution, { name, suite, library, trial }) {
  const work = fs.mkdtempSync(join(home, ".unpacking-"));
  try {
    const apt = await privateApt(work, distribution, [suite]);
    await apt.get(["download", name], work);
    const archive = fs.readdirSync(work).find((file) => file.endsWith(".deb"));
    if (archive === undefined) throw new Error(`${suite} has no package ${name}`);
    await exec("dpkg", ["-x", join(work, archive), join(work, "root")]);
    const { stdout: version } = await exec("dpkg-deb", ["--field", join(work, archive), "Version"]);
    const unpacked = join(work, "modules");
    fs.mkdirSync(unpacked);
    const file = join(unpacked, basename(library));
    fs.copyFileSync(join(work, "root", library), file);
    fs.chmodSync(file, 0o755); // engines refuse one that may not be executed
    await tryOut(home, file, trial);
    fs.writeFileSync(join(unpacked, LIST), `${name} ${version.trim()}\n`);
    fs.mkdirSync(join(home, "lib/redis"), { recursive: true });
    fs.renameSync(unpacked, modulesOf(home));
    process.stderr.write(`setup: module package ${name} ${version.trim()} beside ${home}\n`);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** Throws unless the engine does with the module what it is for. */
async function tryOut(home, library, trial) {
  const folder = fs.mkdtempSync(join(tmpdir(), "module-"));
  const socket = join(folder, "engine");
  const settings = ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder, "--loadmodule", library];
  const engine = spawn(join(home, "bin/redis-server"), settings, { stdio: "ignore" });
  let hasEnded = false;
  for (const end of ["exit", "error"]) engine.once(end, () => (hasEnded = true));
  const ask = (...words) => exec(join(home, "bin/redis-cli"), ["-s", socket, ...words], { timeout: CALL_MS });
  try {
    await untilReady(ask, () => hasEnded);
    for (const [command, wanted] of trial) {
      const { stdout } = await ask(...command);
      if (!wanted.test(stdout)) throw new Error(`${command[0]} answers ${stdout.trim()}`);
    }
  } finally {
    engine.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Until it answers pings: its socket is there a moment before it listens. */
async function untilReady(ask, hasEnded) {
  for (const start = Date.now(); !hasEnded() && Date.now() - start < START_MS;) {
    const answer = await ask("PING").catch(() => undefined); // not yet
    if (answer?.stdout.startsWith("PONG")) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the engine does not start with it");
}

function lastLine(error) {
  return String(error.stderr || error.message)
    .trim()
    .split("\n")
    .at(-1);
}
