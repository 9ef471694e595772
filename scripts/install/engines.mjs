// Finds two or more engine versions, or unpacks them from the distribution's own packages into .engines, touching nothing
// of the system. Node built-ins only, Node 20.
import { execFile, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { ensureModulePackages } from "./module-packages.mjs";
import { privateApt, readDistribution } from "./private-apt.mjs";

const exec = promisify(execFile);
const NAMES = ["redis-server", "valkey-server", "redict-server"];

/** Makes sure that at least two different engine versions can be run; throws with one sentence on how to get them. */
export async function ensureEngines(root) {
  const unpacked = engineFolders(join(root, ".engines"));
  await ensureIn(root, [...pathFolders(), ...engineFolders(process.env.STORE_ENGINES_DIR), ...unpacked]);
  await ensureModulePackages(join(root, ".engines"));
}

/** The same for engines that lie in .engines with their packages, as images need them. */
export async function ensureUnpackedEngines(root) {
  await ensureIn(root, engineFolders(join(root, ".engines")));
  await ensureModulePackages(join(root, ".engines"));
}

async function ensureIn(root, places) {
  const folder = join(root, ".engines");
  if (versionsIn(places).size >= 2) return;
  const distribution = readDistribution();
  if (distribution === undefined) throw new Error(howToGetThem());
  process.stderr.write(
    `setup: unpacking engines from the packages of ${distribution.id} into .engines (the system is not touched)\n`,
  );
  const failures = await unpackAll(folder, distribution);
  const found = versionsIn([...places, ...engineFolders(folder)]);
  if (found.size < 2)
    throw new Error(
      `${[...failures, `found ${found.size} engine version(s), two are needed`].join("; ")}. ${howToGetThem()}`,
    );
  process.stderr.write(`setup: engines ${[...found].join(", ")}\n`);
}

function pathFolders() {
  return (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
}

/** Layout: <folder>/<name>/bin/<engine>, or the executables in <folder> itself. */
function engineFolders(folder) {
  if (folder === undefined || !fs.existsSync(folder)) return [];
  return [folder, ...fs.readdirSync(folder).map((name) => join(folder, name, "bin"))];
}

function versionsIn(folders) {
  const executables = folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .filter((file) => fs.existsSync(file));
  return new Set(executables.map(versionOf).filter((version) => version !== undefined));
}

function versionOf(executable) {
  const said = spawnSync(executable, ["--version"], { encoding: "utf8", timeout: 10_000 }).stdout ?? "";
  const found = /^(\w+) server v=(\S+)/i.exec(said);
  return found === null ? undefined : `${found[1].toLowerCase()}-${found[2]}`;
}

function howToGetThem() {
  const how = {
    darwin: "brew install redis valkey",
    linux: "on Debian and Ubuntu this script unpacks them itself; on Fedora: dnf install redis valkey",
  };
  const platform = how[process.platform] ?? "use Linux or macOS";
  return `Two different engine versions (redis-server, valkey-server) are needed on PATH or in STORE_ENGINES_DIR: ${platform}`;
}

/** What to unpack: each target is one package out of one or more suites of the mirror. */
function targetsOf({ id, codename }) {
  if (id === "debian") {
    return [
      { engine: "redis-server", suites: ["bookworm"] },
      { engine: "valkey-server", suites: ["bookworm", "bookworm-backports"] },
      { engine: "redis-server", suites: ["trixie"] },
      { engine: "valkey-server", suites: ["trixie"] },
    ];
  }
  const suites = [codename, `${codename}-updates`];
  return [
    { engine: "redis-server", suites },
    { engine: "valkey-server", suites },
  ];
}

async function unpackAll(folder, distribution) {
  fs.mkdirSync(folder, { recursive: true });
  const failures = [];
  for (const target of targetsOf(distribution)) {
    try {
      await unpack(folder, distribution, target);
    } catch (error) {
      failures.push(
        `${target.engine} of ${target.suites.at(-1)}: ${String(error.stderr ?? error.message)
          .trim()
          .split("\n")
          .at(-1)}`,
      );
    }
  }
  for (const failure of failures) process.stderr.write(`setup: could not unpack ${failure}\n`);
  return failures;
}

/** Downloads the engine with the libraries it needs, unpacks them, and points the executable at those libraries. */
async function unpack(folder, distribution, target) {
  const work = fs.mkdtempSync(join(folder, ".unpacking-"));
  try {
    const apt = await privateApt(work, distribution, target.suites);
    const wanted = [target.engine, target.engine.replace("-server", "-tools"), "patchelf"];
    const { stdout } = await apt.cache(["depends", "--recurse", "-i", ...wanted]);
    const packages = [
      ...new Set(stdout.split("\n").filter((line) => /^(lib|zlib|lua-|redis-|valkey-|patchelf)[\w.+-]*$/.test(line))),
    ];
    const debs = join(work, "debs");
    fs.mkdirSync(debs);
    await apt.get(["download", ...packages], debs);
    const unpacked = join(work, "engine", "root");
    fs.mkdirSync(unpacked, { recursive: true });
    const versions = [];
    for (const deb of fs.readdirSync(debs).toSorted()) {
      await exec("dpkg", ["-x", join(debs, deb), unpacked]);
      versions.push(await versionIn(join(debs, deb)));
    }
    fs.writeFileSync(
      join(work, "engine", "packages"),
      `${distribution.id} ${target.suites.join(",")}: ${versions.join(" ")}\n`,
    );
    await settle(folder, join(work, "engine"), target.engine);
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

/** `npm run images:check` compares it with what the mirror has then. */
async function versionIn(deb) {
  const { stdout } = await exec("dpkg-deb", ["--show", "--showformat=${Package}=${Version}", deb]);
  return stdout.trim();
}

/** Moves the unpacked engine to .engines/<family>-<version>, with bin/<engine> as an ordinary executable. */
async function settle(folder, unpacked, engine) {
  const root = join(unpacked, "root");
  const all = fs.readdirSync(root, { recursive: true }).map(String);
  const loader =
    all.find((path) => /(^|\/)lib(64)?\/ld-linux[\w.-]+$/.test(path)) ??
    all.find((path) => /\/ld-linux[\w.-]+\.so\.\d$/.test(path));
  const libraryFolders = [
    ...new Set(all.filter((path) => /\.so(\.\d+)*$/.test(path)).map((path) => path.slice(0, path.lastIndexOf("/")))),
  ].filter((path) => /(^|\/)lib\/[\w-]+-linux-gnu$/.test(path));
  if (loader === undefined) throw new Error("its packages hold no dynamic loader");
  const version = loaderRun(root, loader, libraryFolders, "usr/bin/" + engine, ["--version"], engine);
  const found = /^(\w+) server v=(\S+)/i.exec(version);
  if (found === null) throw new Error(`it does not say its version: ${version.trim()}`);
  const home = join(folder, `${found[1].toLowerCase()}-${found[2]}`);
  if (versionsIn([join(home, "bin")]).size > 0) return;
  fs.rmSync(home, { recursive: true, force: true }); // there, yet it does not run: the checkout has moved
  for (const part of ["usr/share", "etc", "var"]) fs.rmSync(join(root, part), { recursive: true, force: true });
  fs.mkdirSync(join(unpacked, "bin"));
  for (const name of [engine, engine.replace("-server", "-cli"), engine.replace("-server", "-benchmark")]) {
    const from = join(root, "usr/bin", name);
    if (!fs.existsSync(from)) continue;
    const to = join(unpacked, "bin", name);
    fs.copyFileSync(fs.realpathSync(from), to);
    fs.chmodSync(to, 0o755);
    const rpath = libraryFolders.map((path) => join(home, "root", path)).join(":");
    loaderRun(
      root,
      loader,
      libraryFolders,
      "usr/bin/patchelf",
      ["--set-interpreter", join(home, "root", loader), "--set-rpath", rpath, to],
      "patchelf",
    );
  }
  fs.renameSync(unpacked, home);
}

function loaderRun(root, loader, libraryFolders, program, args, argv0) {
  const libraries = libraryFolders.map((path) => join(root, path)).join(":");
  const ran = spawnSync(
    join(root, loader),
    ["--library-path", libraries, "--argv0", argv0, fs.realpathSync(join(root, program)), ...args],
    { encoding: "utf8" },
  );
  if (ran.status !== 0) throw new Error(`${argv0}: ${(ran.stderr || ran.error?.message || "failed").trim()}`);
  return ran.stdout;
}
