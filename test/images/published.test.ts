import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { bundlePrograms } from "../../scripts/programs/bundle.ts";
import { licencesOf } from "../../scripts/programs/licences.ts";

const CHECKOUT = join(import.meta.dirname, "../..");

await using out = await mkdtempDisposable(join(tmpdir(), "published-"));
const content = await bundlePrograms({ checkout: CHECKOUT, out: out.path });

test("what is published has the licence of each library that it contains", () => {
  const text = licencesOf(content, CHECKOUT);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(CHECKOUT, "package.json"), "utf8"),
  );
  for (const [name, version] of Object.entries(dependencies)) assert.ok(text.includes(`\n${name} ${version} (`), name);
  // what such a library uses is in it too
  assert.match(text, /^find-my-way \S+ \(MIT\)$/m);
  assert.match(text, /^@smithy\/core \S+ \(Apache-2\.0\)$/m);
  assert.doesNotMatch(text, /\((?:undefined|UNLICENSED)\)/);
  assert.match(text, /Permission is hereby granted, free of charge/);
  assert.match(text, /TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/);
});

for (const program of ["proxy", "starter"])
  test(`each node has a ${program}, whose memory is not spent on libraries`, () => {
    assert.deepEqual([...librariesOf(program)], []);
  });

test("the libraries of a program are seen", () => {
  assert.ok(librariesOf("operator").has("undici"));
});

/** What Node.js loads before the program works. */
function librariesOf(program: string): ReadonlySet<string> {
  const outputs = new Map(Object.entries(content.outputs).map(([path, output]) => [basename(path), output]));
  const loaded = new Set([`${program}.js`]);
  for (const name of loaded)
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === "import-statement" && outputs.has(basename(path))) loaded.add(basename(path));
  const inputs = [...loaded].flatMap((name) => Object.keys(outputs.get(name)?.inputs ?? {}));
  return new Set(inputs.flatMap((input) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []));
}
