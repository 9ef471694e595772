import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { zipOf } from "./zip.ts";

const exec = promisify(execFile);
const SOURCE = join(import.meta.dirname, "tally.c");

/** What differs between archives of the test module. */
export interface ArchiveOptions {
  /** `major.minor.patch` */
  readonly version?: string;
  /** Database version that the build is for. */
  readonly compatible: string;
  readonly systems?: readonly string[];
  /** Builds with the same mark have the same bytes; version and systems when absent. */
  readonly mark?: string;
  /** In the place of the shared object, for instance what no engine can load. */
  readonly library?: Buffer;
  /** Laid over the manifest. */
  readonly manifest?: object;
}

/** An archive of the module "tally" (commands TALLY.ADD and TALLY.GET), compiled here and now. */
export async function tallyArchive(options: ArchiveOptions): Promise<Buffer<ArrayBuffer>> {
  const { version = "1.0.0", compatible, systems = ["rhel9"] } = options;
  const manifest = {
    module_name: "tally",
    display_name: "Tally",
    semantic_version: version,
    compatible_redis_version: compatible,
    architecture: process.arch === "arm64" ? "aarch64" : "x86_64",
    operating_systems: systems,
    commands: [{ command_name: "tally.add" }, { command_name: "tally.get" }],
    ...options.manifest,
  };
  const library = options.library ?? (await compiled(version, options.mark ?? `${compatible} ${systems.join()}`));
  const entries = [
    { name: "module.json", data: JSON.stringify(manifest) },
    { name: "tally.so", data: library },
  ];
  return Buffer.from(zipOf(entries));
}

/** Each build has bytes of its own, as builds for different systems have. */
async function compiled(version: string, mark: string): Promise<Buffer> {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  await using folder = await mkdtempDisposable(join(tmpdir(), "module-"));
  const flags = [`-DVERSION=${major * 10_000 + minor * 100 + patch}`, "-shared", "-fPIC", "-O1", "-Wall", "-Werror"];
  const library = join(folder.path, "tally.so");
  await exec("gcc", [...flags, "-o", library, SOURCE]);
  return Buffer.concat([await readFile(library), Buffer.from(mark)]);
}
