import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { ENGINES } from "./layout.ts";
import type { LayerRecipe } from "./layer.ts";
import { packageText, UNKNOWN_PACKAGES } from "./package-list.ts";

/** An engine as `npm run setup` unpacks it: `root` holds the packages as they came. */
export interface UnpackedEngine {
  /** For instance "redis-8.0.2". */
  readonly name: string;
  readonly root: string;
  /** The packages in `root`, as the history of an image has them; empty where an earlier setup did not write them down. */
  readonly unpackedFrom: string;
  /** Shared objects of the module packages beside it. */
  readonly modules: readonly string[];
  /** Those packages: name and version. */
  readonly packages: readonly (readonly [name: string, version: string])[];
}

const run = promisify(execFile);

/** The engines below `folder`; one that is there without its packages cannot be moved and is left out. */
export async function unpackedEngines(folder: string): Promise<readonly UnpackedEngine[]> {
  const names = (await readdir(folder)).filter((name) => /^\w+-\d+\.\d+\.\d+$/.test(name)).toSorted();
  const found = await Promise.all(
    names.map(async (name) => {
      const home = join(folder, name);
      const roots = (await readdir(home)).filter((entry) => entry === "root");
      const beside = await packagesBeside(home, familyOf(name));
      const unpackedFrom = await readFile(join(home, "packages"), "utf8").catch(() => ""); // of an earlier setup
      return roots.map((root) => ({ name, root: join(home, root), unpackedFrom: unpackedFrom.trim(), ...beside }));
    }),
  );
  return found.flat();
}

async function packagesBeside(home: string, family: string): Promise<Pick<UnpackedEngine, "modules" | "packages">> {
  const folder = join(home, "lib", family, "modules");
  const names = (await readdir(folder).catch(() => [])).toSorted(); // most engines have none
  const list = names.includes("packages") ? await readFile(join(folder, "packages"), "utf8") : "";
  return {
    modules: names.filter((name) => name.endsWith(".so")).map((name) => join(folder, name)),
    packages: [...list.matchAll(/^(\S+) (\S+)$/gm)].map(([, name = "", version = ""]) => [name, version]),
  };
}

/** Each engine with its own loader and libraries: an engine of a newer suite runs on an older base. */
export function engineLayer(engines: readonly UnpackedEngine[]): LayerRecipe {
  const names = engines.flatMap(describe);
  return {
    name: "engines",
    title: names.join(" "),
    inputs: ["3", ...names],
    async fill(root) {
      for (const engine of engines) await install(engine, join(root, ENGINES, engine.name));
    },
  };
}

/** The module packages are of one suite: scripts/install/module-packages.mjs names it. */
const MODULE_SUITE = { distribution: "debian", suites: ["bookworm"] };

function describe({ name, unpackedFrom, packages }: UnpackedEngine): readonly string[] {
  const modules = packages.length === 0 ? [] : [packageText({ ...MODULE_SUITE, versions: new Map(packages) })];
  return [name, ...[unpackedFrom || UNKNOWN_PACKAGES, ...modules].map((text) => `[${text}]`)];
}

interface Library {
  readonly soname: string;
  readonly path: string;
}

/** `<home>/bin` and `<home>/lib`, where `home` is below the root of the image. */
async function install({ name, root, modules }: UnpackedEngine, home: string): Promise<void> {
  const family = familyOf(name);
  const loader = await findLoader(root);
  await mkdir(join(home, "bin"), { recursive: true });
  await mkdir(join(home, "lib"));
  await copyFile(loader.file, join(home, "lib", basename(loader.path)));
  for (const program of [`${family}-server`, `${family}-cli`]) {
    const source = await realpath(join(root, "usr/bin", program));
    const to = join(home, "bin", program);
    await copyFile(source, to);
    await chmod(to, 0o755);
    for (const { soname, path } of await librariesOf(loader, source)) await copyFile(path, join(home, "lib", soname));
    const settings = ["--force-rpath", "--set-rpath", "$ORIGIN/../lib"];
    const interpreter = join(ENGINES, name, "lib", basename(loader.path));
    await throughLoader(loader, join(root, "usr/bin/patchelf"), [...settings, "--set-interpreter", interpreter, to]);
  }
  for (const module of modules) {
    const to = join(home, "lib", family, "modules", basename(module));
    await mkdir(dirname(to), { recursive: true });
    await copyFile(module, to);
    await chmod(to, 0o755);
    for (const { soname, path } of await librariesOf(loader, module)) await copyFile(path, join(home, "lib", soname));
  }
}

function familyOf(name: string): string {
  return name.slice(0, name.indexOf("-"));
}

interface Loader {
  /** Below the engine's root. */
  readonly path: string;
  readonly file: string;
  /** Folders of the engine's root that hold libraries. */
  readonly libraries: readonly string[];
}

async function findLoader(root: string): Promise<Loader> {
  const all = await readdir(root, { recursive: true });
  const path = all.find((entry) => /(^|\/)ld-linux[\w.-]*\.so\.\d$/.test(entry));
  if (path === undefined) throw new Error(`the packages in ${root} hold no dynamic loader`);
  const folders = new Set(all.filter((entry) => /\.so(\.\d+)*$/.test(entry)).map((entry) => dirname(entry)));
  const libraries = [...folders].filter((folder) => /(^|\/)lib\/[\w-]+-linux-gnu$/.test(folder));
  return { path, file: await realpath(join(root, path)), libraries: libraries.map((folder) => join(root, folder)) };
}

/** What the loader itself says it would load, all of it out of the engine's own packages. */
async function librariesOf(loader: Loader, program: string): Promise<Library[]> {
  const { stdout } = await run(loader.file, ["--library-path", loader.libraries.join(":"), "--list", program]);
  const listed = [...stdout.matchAll(/^\s*(lib\S+) => (\/\S+)/gm)];
  return listed.map(([, soname = "", path = ""]) => {
    if (!loader.libraries.includes(dirname(path))) throw new Error(`${program} would load ${path} of this machine`);
    return { soname, path };
  });
}

async function throughLoader(loader: Loader, program: string, args: readonly string[]): Promise<void> {
  await run(loader.file, ["--library-path", loader.libraries.join(":"), program, ...args]);
}
