import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Image } from "../../../scripts/images/archive.ts";
import { layerOf } from "../../../scripts/images/layer.ts";

/** Name of the image that the load runs in, the folder of its sources, and the command that runs it there. */
export const LOAD_IMAGE = "storeenterprise/load:test";
export const LOAD_HOME = "/opt/load";
export const LOAD_COMMAND: readonly string[] = ["node", `${LOAD_HOME}/src/bin/load.ts`];

const SOURCES = [
  "packages/controller-kit/src/base",
  "packages/controller-kit/src/kube",
  "src/programs/demo",
  "src/bin/load.ts",
];
const LIBRARY = "ioredis";

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
}

/** The demo's load with the client library that it uses, on top of what `product` runs on; `folder` keeps its layer. */
export async function loadImage(checkout: string, product: Image, folder: string): Promise<Image> {
  const lock: Lock = JSON.parse(await readFile(join(checkout, "package-lock.json"), "utf8"));
  const modules = closureOf(lock, `node_modules/${LIBRARY}`);
  const fill = async (root: string): Promise<void> => {
    const home = join(root, LOAD_HOME);
    await mkdir(join(home, "src/bin"), { recursive: true });
    const { type, imports } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
    await writeFile(join(home, "package.json"), `${JSON.stringify({ type, imports })}\n`);
    for (const path of [...SOURCES, ...modules])
      await cp(join(checkout, path), join(home, path), { recursive: true, dereference: true });
  };
  const layer = await layerOf({ name: "load", title: "the load of the test", inputs: [], fill }, folder);
  return {
    ...product,
    name: LOAD_IMAGE,
    entrypoint: ["/usr/local/bin/node", "-e", "setInterval(() => {}, 60_000)"],
    labels: {},
    layers: [...product.layers, layer],
  };
}

/** The packages that `path` needs, itself included, where npm has put them. */
function closureOf({ packages }: Lock, path: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const name of Object.keys(packages[path]?.dependencies ?? {})) {
    const nested = `${path}/node_modules/${name}`;
    closureOf({ packages }, nested in packages ? nested : `node_modules/${name}`, known);
  }
  return known;
}
