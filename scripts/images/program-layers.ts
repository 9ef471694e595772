import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOME } from "./layout.ts";
import type { LayerRecipe } from "./layer.ts";

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

/** The programs with their bill of materials: the only layer that differs between two builds of the same day. */
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
