import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles } from "./generated-files.ts";

/** Writes every generated file; with `--check`, fails instead when one differs from what is checked in. */
const root = join(import.meta.dirname, "..");
const stale = (await generatedFiles()).filter(({ path, text }) => readOrEmpty(join(root, path)) !== text);

if (process.argv.includes("--check")) {
  for (const { path } of stale) process.stderr.write(`${path} is not what its source says: npm run generate\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const { path, text } of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    process.stdout.write(`wrote ${path}\n`);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // not there yet: differs from anything
  }
}
