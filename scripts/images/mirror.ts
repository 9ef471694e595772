import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateApt } from "../install/private-apt.mjs";
import type { Distribution } from "../install/private-apt.mjs";

/** The version of each package that the mirror has now, in the newest of the suites; one that it does not have is absent. */
export async function versionsNow(
  distribution: Distribution,
  suites: readonly string[],
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  await using work = await mkdtempDisposable(join(tmpdir(), "versions-"));
  const apt = await privateApt(work.path, distribution, suites);
  // apt-cache fails for a name that it does not know: that one is missing in what is returned
  const { stdout } = await apt.cache(["show", "--no-all-versions", ...names]).catch(outputOf);
  const found = [...stdout.matchAll(/^Package: (\S+)$[^]*?^Version: (\S+)$/gm)];
  return new Map(found.map(([, name = "", version = ""]) => [name, version]));
}

function outputOf(error: unknown): { readonly stdout: string } {
  if (error instanceof Error && "stdout" in error && typeof error.stdout === "string" && error.stdout !== "")
    return { stdout: error.stdout };
  throw error;
}
