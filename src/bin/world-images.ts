import { extname, join } from "node:path";
import type { Image, ImageStore } from "../local-kubernetes/world/index.ts";
import { releaseByNodeTag, releaseByOperator } from "../core/releases/catalogue/find.ts";
import { imageTagOf } from "../core/releases/catalogue/images.ts";
import type { Release } from "../core/releases/catalogue/release.ts";

/** Image names of the product, wherever they are pulled from, and what their tags stand for. */
const RELEASE_OF: Readonly<Record<string, (tag: string) => Release | undefined>> = {
  operator: releaseByOperator,
  node: releaseByNodeTag,
  "services-rigger": releaseByOperator,
};

/** Variables of this process that its programs get too. */
const PASSED = ["STORE_ENGINES_DIR", "LANG", "TZ"];

/**
 * The images of every release of the catalogue, each standing for the program of this checkout; no other image exists
 * here. What Node compiles is kept in `cacheFolder`, so that a program starts faster the second time.
 */
export function worldImages(own: Readonly<Record<string, string | undefined>>, cacheFolder: string): ImageStore {
  const passed = PASSED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  const env: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE: cacheFolder, ...Object.fromEntries(passed) };
  return {
    resolve: (image): Image | undefined => {
      const release = RELEASE_OF[nameOf(image)]?.(imageTagOf(image));
      if (release === undefined) return undefined;
      return { command: [process.execPath, programPath()], env: { ...env, STORE_RELEASE: release.operator } };
    },
  };
}

/** The one program of the product, as source or as built. */
export function programPath(): string {
  return join(import.meta.dirname, `store${extname(import.meta.filename)}`);
}

function nameOf(image: string): string {
  const path = image.split("@")[0] ?? "";
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last.split(":")[0] ?? "";
}
