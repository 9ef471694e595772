// Compiles what is published into dist/, with the data files that the sources read beside themselves: the product itself, and what it imports of
// packages/ below dist/packages.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

rmSync(DIST, { recursive: true, force: true });
// `npm run check` holds the types; to hold them here too takes three times as long
const compiled = spawnSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json", "--noCheck"], {
  cwd: ROOT,
  stdio: "inherit",
});
if (compiled.status !== 0) process.exit(1);
for (const file of globSync(["src/**/*.json", "packages/*/src/**/*.json"], { cwd: ROOT })) {
  cpSync(join(ROOT, file), join(DIST, file));
}
// programs are dist/bin/*.js, whatever lies beside src
for (const name of readdirSync(join(DIST, "src"))) renameSync(join(DIST, "src", name), join(DIST, name));
rmdirSync(join(DIST, "src"));
writeFileSync(join(DIST, "package.json"), `${JSON.stringify(compiledPackage(), undefined, 2)}\n`);
for (const program of ["store.js", "storectl.js"]) chmodSync(join(DIST, "bin", program), 0o755);

/** Says to Node.js what `#…` stands for in the compiled files: the same as in the sources, compiled. */
function compiledPackage(): object {
  const { type, imports }: { type: string; imports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(ROOT, "package.json"), "utf8"),
  );
  const compiled = Object.entries(imports).map(([name, path]) => [name, path.replace(/\.ts$/, ".js")]);
  return { type, imports: Object.fromEntries(compiled) };
}
