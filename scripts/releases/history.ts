import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { compareVersionText } from "#kit/base/version";
import { latestRelease, releaseByOperator } from "../../src/core/releases/catalogue/find.ts";
import type { Release } from "../../src/core/releases/catalogue/release.ts";

/** An earlier state of this repository that users may still run: tests and the demo upgrade from it (docs/compatibility.md). */
export interface KeptRelease {
  /** Version of this software, for instance "0.1.0". */
  readonly version: string;
  /** The commit that it was cut at, 40 hexadecimal digits. */
  readonly commit: string;
  /** The release of the catalogue under which its images run. */
  readonly runsAs: Release;
}

const HISTORY = join(import.meta.dirname, "../../releases/history.json");

const schema = z.record(
  z.string().regex(/^\d+\.\d+\.\d+$/, "a version is three numbers, for instance 0.1.0"),
  z.strictObject({
    commit: z.string().regex(/^[0-9a-f]{40}$/, "a commit is 40 hexadecimal digits, as `git rev-parse` prints it"),
    runsAs: z.string(),
  }),
);

/** Every kept release, oldest first. */
export function keptReleases(): readonly [KeptRelease, ...KeptRelease[]] {
  return parseHistory(JSON.parse(readFileSync(HISTORY, "utf8")));
}

/** What `releases/history.json` says, oldest first; throws on the first entry that cannot be one. */
export function parseHistory(content: unknown): readonly [KeptRelease, ...KeptRelease[]] {
  const all = Object.entries(schema.parse(content)).map(([version, { commit, runsAs }]) => {
    const release = releaseByOperator(runsAs);
    if (release === undefined) throw new Error(`${version} runs as ${runsAs}, which the catalogue does not know`);
    return { version, commit, runsAs: release };
  });
  const sorted = all.toSorted((a, b) => compareVersionText(a.version, b.version) ?? 0);
  const [first, ...others] = sorted;
  if (first === undefined) throw new Error("no release is kept, so that no upgrade can be tried");
  // each stands for one step of a user on the way to this checkout, which is the newest of the catalogue
  let before = first;
  for (const next of [...others, { version: "this checkout", runsAs: latestRelease() }]) {
    if ((compareVersionText(next.runsAs.operator, before.runsAs.operator) ?? 0) <= 0)
      throw new Error(
        `${next.version} runs as ${next.runsAs.operator}, which is not after ${before.runsAs.operator} of ${before.version}`,
      );
    before = { ...before, ...next };
  }
  return [first, ...others];
}
