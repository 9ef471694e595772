import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);
const HERE = import.meta.dirname;
/** A download that hangs ends the build, not the test. */
const LIMIT = { timeout: 600_000 };
/** Copies what a pom.xml names, and what that needs. */
const COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy-dependencies";

/** The command of a library of Python, with an environment of its own. */
export async function buildPython(name: "redis-py" | "glide"): Promise<readonly string[]> {
  const source = join(HERE, "python");
  const requirements = join(source, `requirements-${name}.txt`);
  const folder = await madeOnce(name, [requirements], async (target) => {
    await exec("python3", ["-m", "venv", target], LIMIT);
    const options = ["--quiet", "--disable-pip-version-check", "--require-hashes", "-r", requirements];
    await exec(join(target, "bin/python3"), ["-m", "pip", "install", ...options], LIMIT);
  });
  return [join(folder, "bin/python3"), join(source, "recorder.py"), name];
}

/** The command of go-redis. */
export async function buildGo(): Promise<readonly string[]> {
  const source = join(HERE, "go");
  const files = ["main.go", "go.mod", "go.sum"].map((file) => join(source, file));
  const folder = await madeOnce("go-redis", files, async (target) => {
    await exec("go", ["build", "-o", join(target, "recorder"), "."], { ...LIMIT, cwd: source });
  });
  return [join(folder, "recorder")];
}

/** The command of redis-rs. */
export async function buildRust(): Promise<readonly string[]> {
  const source = join(HERE, "rust");
  const files = ["Cargo.toml", "Cargo.lock", "src/main.rs"].map((file) => join(source, file));
  const folder = await madeOnce("redis-rs", files, async (target) => {
    const built = join(target, "built");
    await exec("cargo", ["build", "--quiet", "--locked", "--target-dir", built], { ...LIMIT, cwd: source });
    await cp(join(built, "debug/recorder"), join(target, "recorder"));
    await rm(built, { recursive: true });
  });
  return [join(folder, "recorder")];
}

/** The command of a library of the JVM: one program for all of them. */
export async function buildJvm(name: "jedis" | "lettuce" | "redisson"): Promise<readonly string[]> {
  await exec("java", ["-version"], LIMIT);
  const source = join(HERE, "jvm");
  const files = (await readdir(source)).sort().map((file) => join(source, file));
  const folder = await madeOnce("jvm", files, async (target) => {
    const jars = join(target, "lib");
    const repository = join(target, "repository"); // two of Maven must not write into one at the same time
    const options = ["--batch-mode", "--quiet", "--file", join(source, "pom.xml"), `-DoutputDirectory=${jars}`];
    await exec("mvn", [...options, `-Dmaven.repo.local=${repository}`, COPY_JARS], LIMIT);
    await rm(repository, { recursive: true });
    await checkSums(jars, join(source, "jars.sha256"));
    const programs = files.filter((file) => file.endsWith(".java"));
    await exec("javac", ["-d", join(target, "classes"), "-cp", join(jars, "*"), ...programs], LIMIT);
  });
  const paths = [join(folder, "lib/*"), join(folder, "classes")].join(":");
  return ["java", "-XX:TieredStopAtLevel=1", "-Xmx128m", "-cp", paths, "Recorder", name];
}

/** The folder has exactly the files of the list (of `sha256sum`). */
async function checkSums(folder: string, list: string): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const sum = createHash("sha256").update(await readFile(join(folder, name)));
    lines.push(`${sum.digest("hex")}  ${name}`);
  }
  const wanted = (await readFile(list, "utf8")).trimEnd().split("\n");
  const wrong = [...lines.filter((line) => !wanted.includes(line)), ...wanted.filter((line) => !lines.includes(line))];
  if (wrong.length > 0) throw new Error(`what was downloaded is not what ${list} lists: ${wrong.join(", ")}`);
}

/** The folder that `make` filled for these files: whole, or not there; kept for all checkouts. */
async function madeOnce(
  name: string,
  files: readonly string[],
  make: (target: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "store-enterprise", "clients", `${name}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const target = await mkdtemp(`${folder}.`);
  try {
    await make(target);
    // another test may have made it meanwhile
    await rename(target, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
  return folder;
}
