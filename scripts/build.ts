// Compiles what is published into dist/, with the data files that the sources read beside themselves.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, globSync, rmSync } from "node:fs";
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
for (const file of globSync("**/*.json", { cwd: join(ROOT, "src") })) {
  cpSync(join(ROOT, "src", file), join(DIST, file));
}
for (const program of ["store.js", "storectl.js"]) chmodSync(join(DIST, "bin", program), 0o755);
