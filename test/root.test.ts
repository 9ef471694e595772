import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

test("the root of the project holds what its readers and tools look for there, and nothing that a program left", () => {
  const text = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
  const names = text.split("\0").flatMap((path) => path.split("/")[0] ?? []);
  assert.deepEqual([...new Set(names)].filter((name) => name !== "").toSorted(), [
    ...[".ci", ".dockerignore", ".gitignore", ".npmrc", ".prettierignore", ".prettierrc.json"],
    ...["CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "NOTICE", "README.md"],
    ...[
      "bench",
      "bin",
      "deploy",
      "docs",
      "eslint.config.js",
      "images",
      "package-lock.json",
      "package.json",
      "packages",
    ],
    ...["releases", "scripts", "src", "test", "tsconfig.json"],
  ]);
});
