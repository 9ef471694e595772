import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { exclusively } from "../kubernetes/machine/exclusive.ts";

/** The oldest Go that reads the module beside this file. */
const OLDEST_GO = { major: 1, minor: 26 };
const PROGRAM = "github.com/versity/versitygw/cmd/versitygw";
const MODULE = import.meta.dirname;

/** The reason to skip a test that needs an object store, for `test(name, { skip })`; false when its program is built. */
export function skipWithoutObjectStore(): string | false {
  if (existsSync(builtProgram())) return false;
  return whyImpossible() ?? "the object store for tests is not built; build it: npm run object-store";
}

/** Where the program is once it is built: what it is built from is in its path. */
export function builtProgram(): string {
  const made = createHash("sha256");
  for (const name of ["go.mod", "go.sum"]) made.update(readFileSync(join(MODULE, name)));
  return join(cacheFolder(), made.update(process.arch).digest("hex").slice(0, 16), "versitygw");
}

/** One sentence on why the program cannot be built on this machine; undefined when it can. */
export function whyImpossible(): string | undefined {
  const { status, stdout } = spawnSync("go", ["version"], { encoding: "utf8" });
  const wanted = `Go ${OLDEST_GO.major}.${OLDEST_GO.minor} or later`;
  if (status !== 0) return `the object store for tests is built with ${wanted}, and PATH has no go`;
  const [, major, minor] = /go(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isOld = Number(major) === OLDEST_GO.major && Number(minor) < OLDEST_GO.minor;
  return isOld ? `the object store for tests needs ${wanted}, this is "${stdout.trim()}"` : undefined;
}

/** Builds the program unless it is there, beside its place, one process at a time; takes a minute or two. */
export async function ensureObjectStore(say: (line: string) => void): Promise<string> {
  const program = builtProgram();
  await exclusively(
    program,
    () => {
      say("another process builds it; waiting for it");
    },
    async () => {
      if (existsSync(program)) return;
      say("building versitygw with go; a minute or two the first time");
      rmSync(cacheFolder(), { recursive: true, force: true });
      mkdirSync(cacheFolder(), { recursive: true });
      const staging = mkdtempSync(join(cacheFolder(), ".building-"));
      await build(join(staging, "versitygw"));
      renameSync(staging, join(program, ".."));
    },
  );
  return program;
}

async function build(target: string): Promise<void> {
  const args = ["build", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w", "-o", target, PROGRAM];
  const env = { ...process.env, CGO_ENABLED: "0", GOFLAGS: "", GOWORK: "off" };
  const child = spawn("go", args, { cwd: MODULE, env, stdio: ["ignore", "ignore", "pipe"] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  if (code !== 0) throw new Error(`go could not build it:\n${said.trim().split("\n").slice(-15).join("\n")}`);
}

function cacheFolder(): string {
  const cache = process.env["XDG_CACHE_HOME"];
  const base = cache === undefined || cache === "" ? join(homedir(), ".cache") : cache;
  return join(base, "store-enterprise/object-store");
}
