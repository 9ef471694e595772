import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtempDisposable, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { discoverEngines } from "../../../src/mechanisms/supervisor/engines.ts";
import { zipOf } from "./zip.ts";

const ROOT = join(import.meta.dirname, "../../..");
const [LIBRARY] = globSync(".engines/redis-7.*/lib/redis/modules/redisearch.so", { cwd: ROOT });

/** Why there is no packaged module on this machine; undefined when there is one. */
export function noPackagedModule(): string | undefined {
  if (LIBRARY !== undefined) return undefined;
  return "no redis 7 of .engines has the module package redis-redisearch beside it; npm run setup lays it there on Debian";
}

/** The search module that the distribution packages, as an archive for database version `compatible`. */
export function searchArchive(compatible: string): Buffer<ArrayBuffer> {
  const manifest = {
    module_name: "ft",
    display_name: "Search",
    semantic_version: "1.2.0",
    compatible_redis_version: compatible,
    architecture: process.arch === "arm64" ? "aarch64" : "x86_64",
    operating_systems: ["rhel9"],
    commands: ["ft.create", "ft.add", "ft.search"].map((name) => ({ command_name: name })),
  };
  const entries = [
    { name: "module.json", data: JSON.stringify(manifest) },
    { name: "redisearch.so", data: readFileSync(packagedLibrary()) },
  ];
  return Buffer.from(zipOf(entries));
}

/** Path of the shared object in that package. */
export function packagedLibrary(): string {
  assert.ok(LIBRARY !== undefined);
  return join(ROOT, LIBRARY);
}

/** A folder for `STORE_ENGINES_DIR` with the redis 7 of this machine, and no package beside it. */
export async function enginesWithoutPackages(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), "engines-"));
  const real = (await discoverEngines(process.env)).find(
    ({ family, version }) => family === "redis" && version.startsWith("7."),
  );
  assert.ok(real !== undefined, "there is no redis 7 on this machine");
  const home = join(folder.path, "redis-7", "bin");
  await mkdir(home, { recursive: true });
  await symlink(real.path, join(home, basename(real.path)));
  return { path: folder.path, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}
