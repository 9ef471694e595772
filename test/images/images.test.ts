import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtempDisposable, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { latestRelease, releaseByOperator } from "../../src/core/releases/catalogue/find.ts";
import { imagesOf } from "../../src/core/releases/catalogue/images.ts";
import { readDistribution } from "../../scripts/install/private-apt.mjs";
import { noPackagedModule } from "../kit/modules/packaged-module.ts";
import { writeArchive } from "../../scripts/images/archive.ts";
import { baseLayer } from "../../scripts/images/base-layer.ts";
import { productImages } from "../../scripts/images/build.ts";
import { engineLayer, unpackedEngines } from "../../scripts/images/engine-layer.ts";
import { layerOf } from "../../scripts/images/layer.ts";
import { ENGINES, ENTRYPOINT, ENVIRONMENT, HOME, labelsOf } from "../../scripts/images/layout.ts";

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, "../..");
const distribution = readDistribution();
const releases = ["7.22.2-21", latestRelease().operator].flatMap((version) => releaseByOperator(version) ?? []);
/** A root is mounted read-only and entered as another user. */
const skip =
  distribution === undefined || process.getuid?.() !== 0
    ? "needs root on Debian or Ubuntu, whose packages are the base of the images"
    : false;

interface Descriptor {
  readonly digest: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Config {
  readonly config: Readonly<Record<"User" | "Env" | "Entrypoint" | "Labels", unknown>>;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const ENTER =
  'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && mount -t proc proc "$1/proc" && ' +
  'root=$1 && shift && exec chroot --userspec=1001:1001 "$root" "$@"';

await using stack = new AsyncDisposableStack();
const folder = stack.use(await mkdtempDisposable(join(tmpdir(), "images-"))).path;
const digests = skip === false ? await archive() : new Map<string, string>();

await test(
  "one archive holds every image of the releases asked for, with layers that all of them share",
  { skip },
  async () => {
    const index: { manifests: Descriptor[] } = await json("index.json");
    const names = index.manifests.map(({ annotations }) => annotations?.["io.containerd.image.name"]);
    const wanted = releases.flatMap((release) => Object.values(imagesOf(release)));
    assert.deepEqual(
      names,
      wanted.map((name) => `docker.io/${name}`),
    );
    assert.deepEqual([...digests.keys()], wanted);
    const manifests = await Promise.all(index.manifests.map(({ digest }) => blob<Manifest>(digest)));
    const layers = new Set(manifests.map((manifest) => JSON.stringify(manifest.layers.map(({ digest }) => digest))));
    assert.equal(layers.size, 1);
    const docker: { RepoTags: string[] }[] = await json("manifest.json");
    assert.deepEqual(
      docker.flatMap(({ RepoTags }) => RepoTags),
      wanted,
    );
  },
);

await test("every blob is what its name says", { skip }, async () => {
  for (const name of await readdir(join(folder, "layout/blobs/sha256"))) {
    const bytes = await readFile(join(folder, "layout/blobs/sha256", name));
    assert.equal(createHash("sha256").update(bytes).digest("hex"), name);
  }
});

for (const release of releases) {
  for (const name of Object.values(imagesOf(release))) {
    await test(`${name} runs as 1001 and knows its release`, { skip }, async () => {
      const manifest = await blob<Manifest>(digests.get(name) ?? "");
      const { config, rootfs } = await blob<Config>(manifest.config.digest);
      assert.equal(config.User, "1001:1001");
      assert.deepEqual(config.Entrypoint, ENTRYPOINT);
      assert.deepEqual(config.Labels, labelsOf(release));
      const environment = { ...ENVIRONMENT, STORE_RELEASE: release.operator };
      assert.deepEqual(
        config.Env,
        Object.entries(environment).map(([key, value]) => `${key}=${value}`),
      );
      assert.deepEqual(
        rootfs.diff_ids,
        manifest.layers.map(({ digest }) => digest),
      );
    });
  }
}

await test("the same inputs make the same layers, wherever and whenever they are made", { skip }, async () => {
  assert.ok(distribution !== undefined);
  const recipes = [await baseLayer(distribution), engineLayer(await unpackedEngines(join(CHECKOUT, ".engines")))];
  for (const recipe of recipes) {
    const made = [];
    for (const cache of ["one", "another"]) made.push((await layerOf(recipe, join(folder, cache))).digest);
    assert.equal(made[0], made[1], recipe.name);
  }
});

await test("its programs start as 1001 from a root that cannot be written", { skip }, async () => {
  await unpackRoot();
  assert.match(await inside("/usr/bin/id"), /^uid=1001\(store\) gid=1001\(store\)/);
  assert.match(await inside("/usr/bin/touch", "/tmp/x"), /Read-only file system/);
  assert.match(await inside(...ENTRYPOINT), /one of: operator, agent, starter, proxy, link, mover, backup, rigger/);
  assert.match(await inside(...ENTRYPOINT, "operator"), /^KUBE_NO_CONFIG/m);
  assert.match(await inside(...ENTRYPOINT, "agent"), /^AGENT_BAD_CONFIG/m);
  const bill: { components: { purl: string }[] } = JSON.parse(await inside("/bin/cat", `${HOME}/sbom.cdx.json`));
  const listed = new Set(bill.components.map(({ purl }) => purl));
  assert.ok(listed.has(`pkg:generic/node@${process.versions.node}`));
  for (const { name } of await unpackedEngines(join(CHECKOUT, ".engines"))) {
    const [family = "", version = ""] = name.split("-");
    const said = await inside(`${ENGINES}/${name}/bin/${family}-server`, "--version");
    assert.match(said, new RegExp(`^${family} server v=${version.replaceAll(".", "\\.")} `, "i"));
    assert.match(await inside(`${ENGINES}/${name}/bin/${family}-cli`, "--version"), new RegExp(`^${family}-cli`, "i"));
    assert.ok(listed.has(`pkg:generic/${family}@${version}`));
  }
});

await test(
  "the module package beside an engine comes along and can be loaded",
  { skip: skip || noPackagedModule() },
  async () => {
    const engine = (await unpackedEngines(join(CHECKOUT, ".engines"))).find(({ modules }) => modules.length > 0);
    assert.ok(engine !== undefined);
    const home = `${ENGINES}/${engine.name}`;
    const library = `${home}/lib/redis/modules/redisearch.so`;
    // the second one is not there, which ends the engine
    const options = ["--bind", "0.0.0.0", "--save", "", "--loadmodule", library, "--loadmodule", "/nowhere.so"];
    assert.match(await inside(`${home}/bin/redis-server`, ...options), /Module 'ft' loaded from/);
    const bill: { components: { purl: string }[] } = JSON.parse(await inside("/bin/cat", `${HOME}/sbom.cdx.json`));
    const purls = engine.packages.map(([name, version]) => `pkg:generic/${name}@${version}`);
    assert.match(purls.join(), /^pkg:generic\/redis-redisearch@1:1\.2\.2/);
    assert.deepEqual(
      bill.components.filter(({ purl }) => purls.includes(purl)).map(({ purl }) => purl),
      purls,
    );
  },
);

await test("the base is what the mirror has now, and another one once a package changes there", { skip }, async () => {
  assert.ok(distribution !== undefined);
  const { inputs } = await baseLayer(distribution);
  const versions = inputs.filter((input) => /^[a-z0-9.+-]+=\S+$/.test(input)).map((input) => input.split("="));
  assert.ok(versions.length > 10);
  for (const [name = "", version = ""] of versions) {
    const known = await inside("/bin/cat", `/var/lib/dpkg/status.d/${name}`);
    assert.ok(known.includes(`\nVersion: ${version}\n`), `${name} ${version}: ${known}`);
  }
});

await test("images/Containerfile names each base by an exact version and a digest", async () => {
  const text = await readFile(join(CHECKOUT, "images/Containerfile"), "utf8");
  const stages = [...text.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, stage = ""]) => stage);
  const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base = ""]) => base);
  const pulled = bases.filter((base) => !stages.includes(base));
  assert.equal(pulled.length, 5);
  const pinned = /^docker\.io\/library\/\w+:\d+\.\d+\.\d+-[a-z-]+@sha256:[0-9a-f]{64}$/;
  assert.deepEqual(
    pulled.filter((base) => !pinned.test(base)),
    [],
  );
});

await test("images/Containerfile describes the same layout", async () => {
  const text = (await readFile(join(CHECKOUT, "images/Containerfile"), "utf8")).replaceAll("\\\n", " ");
  const last = text.slice(text.lastIndexOf("\nFROM "));
  assert.match(last, /^USER 1001:1001$/m);
  assert.deepEqual(JSON.parse(/^ENTRYPOINT (.*)$/m.exec(last)?.[1] ?? ""), ENTRYPOINT);
  // PATH is the base image's own there
  const environment = pairs(/^ENV (.*)$/m.exec(last)?.[1]);
  assert.deepEqual({ PATH: ENVIRONMENT["PATH"], ...environment }, { ...ENVIRONMENT, STORE_RELEASE: "${RELEASE}" });
  const [release] = releases;
  assert.ok(release !== undefined);
  assert.deepEqual(pairs(/^LABEL (.*)$/m.exec(last)?.[1]), {
    ...labelsOf(release),
    "org.opencontainers.image.version": "${RELEASE}",
  });
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
    await readFile(join(CHECKOUT, "package.json"), "utf8"),
  );
  const bases = [...text.matchAll(/^FROM \S+\/node:(\S+)-bookworm-slim/gm)].map(([, version]) => version);
  assert.deepEqual(new Set(bases), new Set([devDependencies["node"]]));
});

/** Writes one archive with the images of all releases, and unpacks it; the digest of each image. */
async function archive(): Promise<ReadonlyMap<string, string>> {
  const written = await writeArchive(join(folder, "all.tar"), await productImages(CHECKOUT, releases));
  await mkdir(join(folder, "layout"));
  await run("tar", ["-xf", join(folder, "all.tar"), "-C", join(folder, "layout")]);
  return written;
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(folder, "layout", path), "utf8"));
}

function blob<T>(digest: string): Promise<T> {
  return json(`blobs/sha256/${digest.slice("sha256:".length)}`);
}

async function unpackRoot(): Promise<void> {
  const root = join(folder, "root");
  await mkdir(root);
  const manifest = await blob<Manifest>([...digests.values()].at(-1) ?? "");
  for (const { digest } of manifest.layers)
    await run("tar", ["-xpf", join(folder, "layout/blobs/sha256", digest.slice("sha256:".length)), "-C", root]);
}

/** What a program says, on either stream, in namespaces of its own. */
async function inside(...command: readonly string[]): Promise<string> {
  const isolation = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
  const args = [...isolation, "sh", "-c", ENTER, "-", join(folder, "root"), ...command];
  const env = { ...ENVIRONMENT, PATH: process.env["PATH"] ?? "" };
  // a program that fails says why, and that is what is looked at
  const said = await run("unshare", args, { env }).catch((error: { stdout: string; stderr: string }) => error);
  return said.stdout + said.stderr;
}

function pairs(text = ""): Record<string, string> {
  const found = [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S+))/g)];
  return Object.fromEntries(found.map(([, name = "", quoted, plain]) => [name, quoted ?? plain ?? ""]));
}
