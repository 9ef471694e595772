import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtempDisposable, readdir, readFile, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { promisify } from "node:util";
import { readDistribution } from "../../scripts/install/private-apt.mjs";
import { noPackagedModule, packagedLibrary } from "../kit/modules/packaged-module.ts";

const run = promisify(execFile);
const SCRIPT = pathToFileURL(join(import.meta.dirname, "../../scripts/install/module-packages.mjs")).href;
const onDebian = readDistribution()?.id === "debian" ? false : "only Debian has the package";

/** A folder of engines as set-up unpacks them, with these programs as its redis 7.0. */
async function enginesOf(programs: string): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), "engines-"));
  await mkdir(join(folder.path, "redis-7.0.15/root"), { recursive: true });
  await symlink(programs, join(folder.path, "redis-7.0.15/bin"));
  return { path: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}

/** What set-up says while it brings the packages beside these engines. */
async function setUp(folder: string): Promise<string> {
  const program = `const { ensureModulePackages } = await import("${SCRIPT}"); await ensureModulePackages(process.argv[1]);`;
  return (await run(process.execPath, ["--input-type=module", "--eval", program, folder])).stderr;
}

await test(
  "set-up lays the package beside the engine that it works with, and once",
  { skip: noPackagedModule() },
  async () => {
    await using engines = await enginesOf(join(dirname(packagedLibrary()), "../../../bin"));
    assert.match(
      await setUp(engines.path),
      /^setup: module package redis-redisearch 1:1\.2\.2\S* beside .*redis-7\.0\.15\n$/,
    );
    const modules = join(engines.path, "redis-7.0.15/lib/redis/modules");
    assert.deepEqual(await readFile(join(modules, "redisearch.so")), await readFile(packagedLibrary()));
    assert.equal(await setUp(engines.path), "");
  },
);

await test(
  "where the package does not work set-up goes on without it, says so, and does not try again",
  { skip: onDebian },
  async () => {
    await using empty = await mkdtempDisposable(join(tmpdir(), "no-engine-"));
    await using engines = await enginesOf(empty.path);
    assert.match(
      await setUp(engines.path),
      /^setup: the module package redis-redisearch is not beside .*Databases cannot use its module\. Remedy: rm -r .*redis-7\.0\.15\/lib && npm run setup\n$/,
    );
    assert.deepEqual(await readdir(join(engines.path, "redis-7.0.15/lib/redis/modules")), []);
    assert.equal(await setUp(engines.path), "");
  },
);
