import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundlePrograms } from "./bundle.ts";
import { licencesOf } from "./licences.ts";

/** Makes `dist` of a checkout anew, which is what is published: its programs with the libraries that they use, and the licences of those. */
export async function makeDist(checkout: string): Promise<void> {
  const dist = join(checkout, "dist");
  rmSync(dist, { recursive: true, force: true });
  const content = await bundlePrograms({ checkout, out: join(dist, "bin") });
  writeFileSync(join(dist, "licences.txt"), licencesOf(content, checkout));
}
