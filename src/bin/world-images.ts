import { createHash } from "node:crypto";
import type { Image, ImageStore } from "#kubernetes";
import { CATALOGUE } from "../core/releases/catalogue/catalogue.ts";
import { NODE_ARGS } from "./node-args.ts";
import { programPath } from "./program-path.ts";
import { releaseByNodeTag, releaseByOperator } from "../core/releases/catalogue/find.ts";
import { imageDigestOf, imageTagOf, repositoryOf } from "../core/releases/catalogue/images.ts";
import type { Release } from "../core/releases/catalogue/release.ts";

/** Image names of the product, wherever they are pulled from, and what their tags stand for. */
const RELEASE_OF: Readonly<Record<string, (tag: string) => Release | undefined>> = {
  operator: releaseByOperator,
  node: releaseByNodeTag,
  "services-rigger": releaseByOperator,
};

/** Variables of this process that its programs get too. */
const PASSED = ["STORE_ENGINES_DIR", "LANG", "TZ", "NODE_COMPILE_CACHE"];

/** What starts the programs of releases that are not of this checkout, by their operator versions. */
export type OtherPrograms = ReadonlyMap<string, readonly string[]>;

/**
 * The images of every release of the catalogue, each standing for the program of this checkout, unless `others` has its
 * own; no other image exists here. What Node compiles is kept in `cacheFolder`, unless the environment names
 * another, so that a program starts faster the second time.
 */
export function worldImages(
  own: Readonly<Record<string, string | undefined>>,
  cacheFolder: string,
  others: OtherPrograms = new Map(),
): ImageStore {
  const passed = PASSED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  const env: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE: cacheFolder, ...Object.fromEntries(passed) };
  return {
    resolve: (image): Image | undefined => {
      const name = nameOf(image);
      const tag = tagOf(name, image);
      const release = RELEASE_OF[name]?.(tag);
      if (release === undefined) return undefined;
      return {
        command: others.get(release.operator) ?? [process.execPath, ...NODE_ARGS, programPath()],
        env: { ...env, STORE_RELEASE: release.operator },
        files: {},
        digest: digestOf(name, tag),
      };
    },
  };
}

/** A container runtime goes by the digest where there is one, whatever the tag says; empty when no image has it. */
function tagOf(name: string, image: string): string {
  const digest = imageDigestOf(image);
  if (digest === "") return imageTagOf(image);
  const tags = CATALOGUE.flatMap(({ operator, nodeTag, rebuiltNodeTags }) => [operator, nodeTag, ...rebuiltNodeTags]);
  return tags.find((tag) => digestOf(name, tag) === digest) ?? "";
}

/** Each tag is an image of its own. */
function digestOf(name: string, tag: string): string {
  return `sha256:${createHash("sha256").update(`${name}:${tag}`).digest("hex")}`;
}

function nameOf(image: string): string {
  const path = repositoryOf(image);
  return path.slice(path.lastIndexOf("/") + 1);
}
