import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { markInstalled } from "../../scripts/install/dependencies.mjs";
import { buildRelease, whyNotBuildable } from "../../scripts/releases/build.ts";
import type { KeptRelease } from "../../scripts/releases/history.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { until } from "#kit/testing/until";

const BUILD = join(import.meta.dirname, "../../scripts/releases/build.ts");

test("the commit is built, not what lies in the checkout", async () => {
  await using scene = await openScene();
  writeFileSync(join(scene.checkout, "program.ts"), "changed since");
  const { folder } = await buildRelease(scene.kept, scene);
  assert.equal(readFileSync(join(folder, "program.ts"), "utf8"), "first");
  assert.equal(readFileSync(join(folder, "node_modules/used/index.js"), "utf8"), "ours");
});

test("dependencies that are only half installed are not taken: npm installs them from the release's own lock file", async () => {
  await using scene = await openScene();
  writeFileSync(join(scene.checkout, "node_modules/.installed-packages"), "");
  const built = scene.buildElsewhere("mkdir -p node_modules/used && echo npm > node_modules/used/index.js");
  assert.equal((await once(built, "exit"))[0], 0);
  assert.equal(readFileSync(join(scene.folder, "node_modules/used/index.js"), "utf8"), "npm\n");
});

test("two builds at once give one, and both can use it", async () => {
  await using scene = await openScene();
  const all = await Promise.all([1, 2, 3].map(() => buildRelease(scene.kept, scene)));
  assert.deepEqual([...new Set(all.map(({ folder }) => folder))], [scene.folder]);
  assert.deepEqual(readdirSync(scene.cache), [scene.kept.commit]);
});

test("a build that is killed half-way is not used, and the next one removes it", async () => {
  await using scene = await openScene();
  writeFileSync(join(scene.checkout, "node_modules/.installed-packages"), "");
  const built = scene.buildElsewhere("touch half-way; sleep 60");
  const isHalfWay = (): boolean =>
    existsSync(scene.cache) && readdirSync(scene.cache).some((name) => existsSync(join(scene.cache, name, "half-way")));
  await until("it is half-way", () => Promise.resolve(isHalfWay()), { withinMs: 20_000, everyMs: 20 });
  process.kill(-(built.pid ?? 0), "SIGKILL");
  await once(built, "exit");
  assert.equal(existsSync(scene.folder), false);

  markInstalled(scene.checkout);
  await buildRelease(scene.kept, scene);
  assert.deepEqual(readdirSync(scene.cache), [scene.kept.commit]);
});

test("a commit that the clone lacks is named, with the command that gets it", async () => {
  await using scene = await openScene();
  const missing = { ...scene.kept, commit: "1".repeat(40) };
  assert.match(
    (await whyNotBuildable(missing, scene)) ?? "",
    /lacks commit 1{40} of release 0\.1\.0; get it: git fetch/,
  );
  assert.equal(await whyNotBuildable(scene.kept, scene), undefined);
});

/** A small repository with one commit, and an empty cache. */
async function openScene() {
  const dir = await mkdtempDisposable(join(tmpdir(), "releases-"));
  const [checkout, cache, bin] = ["checkout", "cache", "bin"].map((name) => join(dir.path, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [join(checkout, "node_modules/used"), bin]) mkdirSync(folder, { recursive: true });
  const lock = { packages: { "": { name: "x", version: "0.1.0" }, "node_modules/used": { version: "1.0.0" } } };
  writeFileSync(join(checkout, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(checkout, "program.ts"), "first");
  writeFileSync(join(checkout, ".gitignore"), "node_modules");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", checkout, ...args], { encoding: "utf8" });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=first");
  writeFileSync(join(checkout, "node_modules/used/index.js"), "ours");
  markInstalled(checkout);
  const kept: KeptRelease = { version: "0.1.0", commit: git("rev-parse", "HEAD").trim(), runsAs: latestRelease() };
  return {
    checkout,
    cache,
    kept,
    folder: join(cache, kept.commit),
    /** A process that builds it, with a shell script as its npm. */
    buildElsewhere(npm: string) {
      writeFileSync(join(bin, "npm"), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
      const call = `(await import(${JSON.stringify(BUILD)})).buildRelease(${JSON.stringify(kept)}, ${JSON.stringify({ checkout, cache })})`;
      const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
      return spawn(process.execPath, ["--input-type=module", "--eval", `await ${call}`], {
        env,
        stdio: "inherit",
        detached: true,
      });
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
