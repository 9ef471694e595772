import { extname, join } from "node:path";
import type { Image, ImageStore } from "../kubelet/images.ts";
import { releaseByNodeTag, releaseByOperator } from "../releases/find.ts";
import { tagOf } from "../releases/images.ts";
import type { Release } from "../releases/release.ts";

/** Image names of the product, wherever they are pulled from, and what their tags stand for. */
const RELEASE_OF: Readonly<Record<string, (tag: string) => Release | undefined>> = {
  operator: releaseByOperator,
  node: releaseByNodeTag,
  "services-rigger": releaseByOperator,
};

/**
 * The images of every release of the catalogue, each standing for the program of this checkout; no other image exists
 * here. `passed` are variables of this process that its programs get too.
 */
export function worldImages(passed: Readonly<Record<string, string | undefined>>): ImageStore {
  const kept = ["STORE_ENGINES_DIR", "LANG", "TZ"].flatMap((name) => (passed[name] === undefined ? [] : [[name, passed[name]]]));
  const env: Readonly<Record<string, string>> = Object.fromEntries(kept);
  return {
    resolve: (image): Image | undefined => {
      const release = RELEASE_OF[nameOf(image)]?.(tagOf(image));
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
