import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { HOME } from "./layout.ts";
import type { LayerRecipe } from "./layer.ts";

const run = promisify(execFile);

/** Node itself: the executable that this program runs on. */
export function nodeLayer(): LayerRecipe {
  const { node } = process.versions;
  return {
    name: "node",
    title: `node ${node}`,
    inputs: ["1", node, process.platform, process.arch],
    async fill(root) {
      const folder = join(root, "usr/local/bin");
      await mkdir(folder, { recursive: true });
      await copyFile(process.execPath, join(folder, "node"));
    },
  };
}

/** The packages that the product needs at run time, as the lock file pins them; none of their scripts runs. */
export async function dependenciesLayer(checkout: string): Promise<LayerRecipe> {
  const names = ["package.json", "package-lock.json"];
  const texts = await Promise.all(names.map((name) => readFile(join(checkout, name), "utf8")));
  return {
    name: "dependencies",
    title: "npm ci --omit=dev",
    inputs: ["1", lockedPart(texts[0] ?? ""), texts[1] ?? ""],
    async fill(root, work) {
      for (const [at, name] of names.entries()) await writeFile(join(work, name), texts[at] ?? "");
      const quiet = ["--no-audit", "--no-fund", "--loglevel=error"];
      await run("npm", ["ci", "--omit=dev", "--ignore-scripts", ...quiet], { cwd: work });
      await mkdir(join(root, HOME), { recursive: true });
      await cp(join(work, "node_modules"), join(root, HOME, "node_modules"), {
        recursive: true,
        verbatimSymlinks: true,
      });
    },
  };
}

/** The compiled product with its bill of materials: the only layer that differs between two builds of the same day. */
export function productLayer(checkout: string, sbom: string, inputs: readonly string[]): LayerRecipe {
  return {
    name: "product",
    title: "store-enterprise",
    inputs: ["1", sbom, ...inputs],
    async fill(root) {
      const home = join(root, HOME);
      await mkdir(home, { recursive: true });
      await cp(join(checkout, "dist"), join(home, "dist"), { recursive: true });
      for (const name of ["package.json", "LICENSE", "NOTICE"])
        await writeFile(join(home, name), await readFile(join(checkout, name)));
      await writeFile(join(home, "sbom.cdx.json"), sbom);
    },
  };
}

/** Scripts of package.json come and go without any effect on what is installed. */
function lockedPart(packageJson: string): string {
  const parsed: unknown = JSON.parse(packageJson);
  return typeof parsed === "object" && parsed !== null && "dependencies" in parsed
    ? JSON.stringify(parsed.dependencies)
    : "";
}
