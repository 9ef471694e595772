import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { imagesOf } from "../../src/core/releases/catalogue/images.ts";
import type { Release } from "../../src/core/releases/catalogue/release.ts";
import { ensureUnpackedEngines } from "../install/engines.mjs";
import { makeDist } from "../programs/dist.ts";
import { readDistribution } from "../install/private-apt.mjs";
import type { Image } from "./archive.ts";
import { baseLayer } from "./base-layer.ts";
import { engineLayer, unpackedEngines } from "./engine-layer.ts";
import { layerOf } from "./layer.ts";
import type { Layer } from "./layer.ts";
import { ENTRYPOINT, ENVIRONMENT, labelsOf, USER } from "./layout.ts";
import { nodeLayer, productLayer } from "./program-layers.ts";
import { billOfMaterials, genericComponent } from "./sbom.ts";

/** Makes the images of `releases`: three for each, all of the same layers. The engines may be those of another checkout. */
export async function productImages(
  checkout: string,
  releases: readonly Release[],
  withEngines = checkout,
): Promise<readonly Image[]> {
  const layers = await productLayers(checkout, withEngines);
  return releases.flatMap((release) => imagesOfRelease(release, layers));
}

/** The layers of every image of the product, lowest first. */
async function productLayers(checkout: string, withEngines: string): Promise<readonly Layer[]> {
  const distribution = readDistribution();
  if (distribution === undefined)
    throw new Error("image:local takes its base from Debian or Ubuntu packages; elsewhere build images/Containerfile");
  await ensureUnpackedEngines(withEngines);
  const engines = await unpackedEngines(join(withEngines, ".engines"));
  await makeDist(checkout);
  const parts = [{ name: `node-${process.versions.node}` }, ...engines].map(({ name }) => name.split("-"));
  const sbom = await billOfMaterials(
    checkout,
    [...parts, ...engines.flatMap(({ packages }) => packages)].map(([name = "", version = ""]) =>
      genericComponent(name, version),
    ),
  );
  const recipes = [
    await baseLayer(distribution),
    nodeLayer(),
    engineLayer(engines),
    productLayer(checkout, sbom, contentOf(join(checkout, "dist"))),
  ];
  const layers: Layer[] = [];
  for (const recipe of recipes) layers.push(await layerOf(recipe));
  return layers;
}

/** One set of layers under three names: the program is chosen by the argument, the release by the environment. */
function imagesOfRelease(release: Release, layers: readonly Layer[]): Image[] {
  return Object.values(imagesOf(release)).map((name) => ({
    name,
    user: `${USER.uid}:${USER.uid}`,
    environment: { ...ENVIRONMENT, STORE_RELEASE: release.operator },
    entrypoint: ENTRYPOINT,
    labels: labelsOf(release),
    layers,
  }));
}

/** Every file below `folder` as its path and a digest of what is in it. */
function contentOf(folder: string): string[] {
  const files = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((file) => `${file.slice(folder.length)} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`);
}
