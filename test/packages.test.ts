import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importsBelow, type Import } from "./kit/architecture/import-graph.ts";

const ROOT = join(import.meta.dirname, "..");
const imports = importsBelow(ROOT, ["packages"]);

test("packages import nothing of the product, nor do their tests", () => {
  const wrong = imports.filter(({ target }) => /^(?:src|test|scripts|bench)\//.test(target));
  assert.deepEqual(wrong.map(said), []);
});

test("a package declares the packages that it imports, at the version of the checkout", () => {
  const own = manifestOf(".");
  for (const name of readdirSync(join(ROOT, "packages"))) {
    const folder = `packages/${name}`;
    const given = manifestOf(folder);
    assert.equal(given.name, name);
    const imported = imports.filter(({ file }) => file.startsWith(`${folder}/`));
    const used = imported.flatMap(({ file, target }) =>
      packageNames(folder, target).map((needed) => ({ file, needed })),
    );
    const atRuntime = used.filter(({ file, needed }) => !isForTests(file) && needed !== "kubernetes-types");
    const names = new Set(atRuntime.map(({ needed }) => needed));
    const others = new Set(used.map(({ needed }) => needed).filter((needed) => !names.has(needed)));
    assert.deepEqual(Object.keys(given.dependencies).sort(), [...names].sort(), folder);
    assert.deepEqual(Object.keys(given.devDependencies).sort(), [...others].sort(), folder);
    for (const [needed, version] of Object.entries({ ...given.dependencies, ...given.devDependencies })) {
      const sibling = existsSync(join(ROOT, "packages", needed));
      const wanted = sibling ? manifestOf(`packages/${needed}`).version : versionIn(own, needed);
      assert.equal(version, wanted, `${folder} asks for ${needed}`);
    }
  }
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
}

function versionIn({ dependencies, devDependencies }: Manifest, name: string): string | undefined {
  return dependencies[name] ?? devDependencies[name];
}

/** The package that an import of a file of `folder` names, if that is another one: of a registry, or beside it. */
function packageNames(folder: string, target: string): readonly string[] {
  if (target.startsWith("node:") || target.startsWith(`${folder}/`)) return [];
  if (target.startsWith("packages/")) return [target.split("/")[1] ?? ""];
  return [/^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? target];
}

/** A test of a package, or what its tests share. */
function isForTests(file: string): boolean {
  return file.endsWith(".test.ts") || /^packages\/[^/]+\/src\/testing\//.test(file);
}

function said({ file, target }: Import): string {
  return `${file} imports ${target}`;
}
