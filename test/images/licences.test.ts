import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bundlePrograms } from "../../scripts/programs/bundle.ts";
import { licencesOf } from "../../scripts/programs/licences.ts";

const CHECKOUT = join(import.meta.dirname, "../..");

test("what is published has the licence of each library that it contains", async () => {
  await using out = await mkdtempDisposable(join(tmpdir(), "licences-"));
  const text = licencesOf(await bundlePrograms({ checkout: CHECKOUT, out: out.path }), CHECKOUT);
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(CHECKOUT, "package.json"), "utf8"),
  );
  for (const [name, version] of Object.entries(dependencies)) assert.ok(text.includes(`\n${name} ${version} (`), name);
  // what such a library uses is in it too
  for (const [name, licence] of [
    ["find-my-way", "MIT"],
    ["@smithy/core", "Apache-2.0"],
  ] as const)
    assert.match(text, new RegExp(`^${name} \\S+ \\(${licence.replaceAll(".", "\\.")}\\)$`, "m"));
  assert.doesNotMatch(text, /\((?:undefined|UNLICENSED)\)/);
  assert.match(text, /Permission is hereby granted, free of charge/);
  assert.match(text, /TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION/);
});
