import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { releaseByOperator, latestRelease } from "../src/core/releases/catalogue/find.ts";
import type { Release } from "../src/core/releases/catalogue/release.ts";
import { writeArchive } from "./images/archive.ts";
import { productImages } from "./images/build.ts";
import { signFile, signImages, signingKey, writePublicKey } from "./images/signature.ts";

const USAGE = `usage: npm run image:local -- <folder> [--release <operator version>]...
  Writes <folder>/store-enterprise.tar: the images of each release (of ${latestRelease().operator} when none is named),
  for docker load, podman load, ctr images import, kind load image-archive.
  With the key of who builds in the file STORE_SIGNING_KEY, also signatures of the archive and of each image, and cosign.pub.`;

const { folder, releases } = readArguments(process.argv.slice(2));
const key = await signingKey(process.env);
const path = join(resolve(folder), "store-enterprise.tar");
const digests = await writeArchive(path, await productImages(join(import.meta.dirname, ".."), releases));
for (const [name, digest] of digests) process.stdout.write(`${name}  ${digest}\n`);
process.stdout.write(`wrote ${path}\n`);
if (key !== undefined) {
  await signFile(path, key);
  const names = await signImages(dirname(path), digests, key);
  process.stdout.write(`signed by ${await writePublicKey(dirname(path), key)}: the archive, ${names.join(", ")}\n`);
}

function readArguments(args: readonly string[]): { folder: string; releases: readonly Release[] } {
  try {
    const options = { release: { type: "string", multiple: true } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [name = "", ...more] = positionals;
    if (name === "" || more.length > 0) throw new Error("one folder is needed");
    const versions = values.release ?? [latestRelease().operator];
    return { folder: name, releases: versions.map(releaseNamed) };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${USAGE}\n`);
    process.exit(2);
  }
}

function releaseNamed(version: string): Release {
  const release = releaseByOperator(version);
  if (release === undefined)
    throw new Error(`--release ${version} is no operator version of src/core/releases/catalogue/catalogue.ts`);
  return release;
}
