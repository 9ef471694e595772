import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { privateApt, readDistribution } from "../../../scripts/install/private-apt.mjs";
import { zipOf } from "./zip.ts";

const exec = promisify(execFile);
const PACKAGE = "redis-redisearch";
const LIBRARY = "usr/lib/redis/modules/redisearch.so";

/** Why there is no packaged module on this machine; undefined when there is one. */
export function noPackagedModule(): string | undefined {
  const distribution = readDistribution();
  if (distribution?.id !== "debian") return `only Debian has a package ${PACKAGE}`;
  if (process.arch !== "x64" && process.arch !== "arm64") return `${PACKAGE} is not looked for on ${process.arch}`;
  return undefined;
}

/** The search module that the distribution packages, as an archive for database version `compatible`; fetched once. */
export async function searchArchive(compatible: string): Promise<Buffer<ArrayBuffer>> {
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
    { name: "redisearch.so", data: readFileSync(await packagedLibrary()) },
  ];
  return Buffer.from(zipOf(entries));
}

/** Path of the shared object in that package; fetched once. */
export async function packagedLibrary(): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "store-enterprise", "modules");
  const library = join(cache, `${PACKAGE}.so`);
  if (existsSync(library)) return library;
  const distribution = readDistribution();
  if (distribution === undefined) throw new Error("this machine has no packages of Debian");
  mkdirSync(cache, { recursive: true });
  using temporary = mkdtempDisposableSync(join(cache, ".fetching-"));
  const work = temporary.path;
  const apt = await privateApt(work, distribution, [distribution.codename]);
  mkdirSync(join(work, "debs"));
  await apt.get(["download", PACKAGE], join(work, "debs"));
  for (const deb of readdirSync(join(work, "debs")))
    await exec("dpkg", ["-x", join(work, "debs", deb), join(work, "root")]);
  renameSync(join(work, "root", LIBRARY), library);
  return library;
}
