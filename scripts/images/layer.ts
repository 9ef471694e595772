import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** One layer of an image as an uncompressed tar. */
export interface Layer {
  readonly tar: string;
  /** `sha256:` and the digest of the tar; equal content gives an equal digest. */
  readonly digest: string;
  readonly size: number;
  /** What it is, for `docker history`. */
  readonly title: string;
}

/** What a layer is made of: everything that its content depends on. */
export interface LayerRecipe {
  readonly name: string;
  readonly title: string;
  readonly inputs: readonly string[];
  /** Fills `root`, an empty folder that becomes `/`; `work` may hold what is needed on the way. */
  fill(root: string, work: string): Promise<void>;
}

const run = promisify(execFile);

/** Every layer has this date: a date of its own would make each build another image. */
const ENTRIES = ["--sort=name", "--mtime=@0", "--numeric-owner", "--owner=0", "--group=0", "--format=gnu"];

/** The layer that `recipe` describes, out of the cache when it was made from the same inputs before. */
export async function layerOf(recipe: LayerRecipe, cache = cacheFolder()): Promise<Layer> {
  await mkdir(cache, { recursive: true });
  const key = createHash("sha256").update(JSON.stringify(recipe.inputs)).digest("hex").slice(0, 16);
  const tar = join(cache, `${recipe.name}-${key}.tar`);
  const known = await readFile(`${tar}.digest`, "utf8").catch(() => undefined); // not made yet
  const digest = known ?? (await make(recipe, tar));
  return { tar, digest, size: (await stat(tar)).size, title: recipe.title };
}

/** Outside of the repository, so that a clean checkout finds it too. */
function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "store-enterprise", "layers");
}

async function make(recipe: LayerRecipe, tar: string): Promise<string> {
  process.umask(0o022); // modes must not depend on who builds
  const work = await mkdtemp(`${tar}.`);
  try {
    const root = join(work, "root");
    await mkdir(root);
    await recipe.fill(root, work);
    const packed = join(work, "layer.tar");
    await run("tar", [...ENTRIES, "-C", root, "-cf", packed, "."]);
    const digest = `sha256:${await sha256(packed)}`;
    await rename(packed, tar);
    await writeFile(`${tar}.digest`, digest);
    return digest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
