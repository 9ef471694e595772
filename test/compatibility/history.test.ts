import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { keptReleases, parseHistory } from "../../scripts/releases/history.ts";
import { compareVersionText } from "#kit/base/version";

const ROOT = join(import.meta.dirname, "../..");
const COMMIT = "0".repeat(40);
const OLD = { commit: COMMIT, runsAs: "7.22.2-21" };

test("each kept release is a commit that this checkout comes from", { skip: whyHistoryIsMissing() }, () => {
  for (const { version, commit } of keptReleases())
    assert.equal(git("merge-base", "--is-ancestor", commit, "HEAD").status, 0, `${version} is no ancestor of HEAD`);
});

test(
  "each is the version that its commit says, and the next version is a later one",
  { skip: whyHistoryIsMissing() },
  () => {
    const versionIn = (content: string): string => JSON.parse(content).version;
    const kept = keptReleases();
    for (const { version, commit } of kept)
      assert.equal(versionIn(git("show", `${commit}:package.json`).stdout), version);
    const next = versionIn(readFileSync(join(ROOT, "package.json"), "utf8"));
    assert.ok((compareVersionText(next, kept.at(-1)?.version ?? "") ?? 0) > 0, `package.json says ${next}`);
  },
);

test("releases come oldest first, whatever the order in the file", () => {
  const content = { "0.10.0": { commit: COMMIT, runsAs: "8.0.20-21" }, "0.9.0": OLD };
  assert.deepEqual(
    parseHistory(content).map(({ version }) => version),
    ["0.9.0", "0.10.0"],
  );
});

const refused: Readonly<Record<string, readonly [content: unknown, says: RegExp]>> = {
  "no release at all": [{}, /no release is kept/],
  "a version of two numbers": [{ "0.1": OLD }, /three numbers, for instance 0\.1\.0/],
  "a short commit": [{ "0.1.0": { ...OLD, commit: "698b5be" } }, /40 hexadecimal digits/],
  "a further field": [{ "0.1.0": { ...OLD, note: "" } }, /note/],
  "a release that the catalogue does not know": [{ "0.1.0": { ...OLD, runsAs: "1.2.3" } }, /does not know/],
  "two that run as the same": [{ "0.1.0": OLD, "0.2.0": OLD }, /0\.2\.0 runs as 7\.22\.2-21, which is not after/],
  "one that runs as what this checkout is": [{ "0.1.0": { ...OLD, runsAs: "8.2.0-12" } }, /this checkout runs as/],
};
for (const [name, [content, says]] of Object.entries(refused))
  test(`refused: ${name}`, () => {
    assert.throws(() => parseHistory(content), says);
  });

/** A clone without its history cannot be asked. */
function whyHistoryIsMissing(): string | false {
  const { status, stdout } = git("rev-parse", "--is-shallow-repository");
  if (status !== 0) return "this is no clone of the repository; make one: git clone";
  return stdout.trim() === "true" && "this clone has no history; get it: git fetch --unshallow";
}

function git(...args: readonly string[]): { status: number | null; stdout: string } {
  return spawnSync("git", ["-C", ROOT, ...args], { encoding: "utf8" });
}
