import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Layer } from "./layer.ts";

/** One image: a name, what it runs as, and its layers from the lowest to the highest. */
export interface Image {
  /** With its tag, for instance `storeenterprise/node:8.2.0-25.12`. */
  readonly name: string;
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly layers: readonly Layer[];
}

const run = promisify(execFile);
/** As readers look them up: without a leading `./`. */
const NAMES = ["blobs", "index.json", "manifest.json", "oci-layout"];
const DAY_ZERO = "1970-01-01T00:00:00Z";
const TYPES = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
} as const;

/**
 * Writes `images` into one tar that is an OCI layout and a docker-archive at once (`docker load`, `podman load`, `ctr images
 * import`, `kind load image-archive`). Layers that images share are in it once. Resolves with the images' digests by name.
 */
export async function writeArchive(path: string, images: readonly Image[]): Promise<ReadonlyMap<string, string>> {
  await mkdir(dirname(path), { recursive: true });
  const folder = await mkdtemp(`${path}.`);
  try {
    const blobs = join(folder, "tree/blobs/sha256");
    await mkdir(blobs, { recursive: true });
    for (const { tar, digest } of new Set(images.flatMap(({ layers }) => layers)))
      await symlink(tar, join(blobs, hexOf(digest))).catch(ignoreTwin);
    const written = [];
    for (const image of images) written.push({ image, ...(await writeImage(blobs, image)) });
    const tree = join(folder, "tree");
    await writeJson(join(tree, "oci-layout"), { imageLayoutVersion: "1.0.0" });
    await writeJson(join(tree, "index.json"), {
      schemaVersion: 2,
      mediaType: TYPES.index,
      manifests: written.map(({ image, manifest }) => ({ ...manifest, annotations: annotationsOf(image.name) })),
    });
    await writeJson(
      join(tree, "manifest.json"),
      written.map(({ image, config }) => ({
        Config: `blobs/sha256/${hexOf(config.digest)}`,
        RepoTags: [image.name],
        Layers: image.layers.map(({ digest }) => `blobs/sha256/${hexOf(digest)}`),
      })),
    );
    const packed = join(folder, basename(path));
    const entries = ["--sort=name", "--mtime=@0", "--numeric-owner", "--owner=0", "--group=0", "--mode=a=rX,u+w"];
    await run("tar", [...entries, "--dereference", "--format=gnu", "-C", tree, "-cf", packed, ...NAMES]);
    await rename(packed, path);
    return new Map(written.map(({ image, manifest }) => [image.name, manifest.digest]));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

async function writeImage(blobs: string, image: Image): Promise<{ manifest: Descriptor; config: Descriptor }> {
  const config = await writeBlob(blobs, TYPES.config, {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    created: DAY_ZERO,
    config: {
      User: image.user,
      Env: Object.entries(image.environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: image.entrypoint,
      WorkingDir: "/",
      Labels: image.labels,
    },
    rootfs: { type: "layers", diff_ids: image.layers.map(({ digest }) => digest) },
    history: image.layers.map(({ title }) => ({ created: DAY_ZERO, created_by: title })),
  });
  const manifest = await writeBlob(blobs, TYPES.manifest, {
    schemaVersion: 2,
    mediaType: TYPES.manifest,
    config,
    layers: image.layers.map(({ digest, size }) => ({ mediaType: TYPES.layer, digest, size })),
    annotations: image.labels,
  });
  return { manifest, config };
}

async function writeBlob(blobs: string, mediaType: string, content: object): Promise<Descriptor> {
  const bytes = Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  await writeFile(join(blobs, hexOf(digest)), bytes);
  return { mediaType, digest, size: bytes.length };
}

/** containerd takes the whole name from the first, others read the tag from the second. */
function annotationsOf(name: string): Readonly<Record<string, string>> {
  return {
    "io.containerd.image.name": `docker.io/${name}`,
    "org.opencontainers.image.ref.name": name.slice(name.indexOf(":") + 1),
  };
}

async function writeJson(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content));
}

function hexOf(digest: string): string {
  return digest.slice("sha256:".length);
}

/** Two layers with the same content are one blob. */
function ignoreTwin(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}
