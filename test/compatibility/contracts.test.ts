import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { buildRelease, whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases, type KeptRelease } from "../../scripts/releases/history.ts";
import { bundleFor } from "../../src/core/releases/bundle/bundle.ts";
import { latestRelease } from "../../src/core/releases/catalogue/find.ts";
import { breakingChanges } from "./contracts/breaking-changes.ts";
import { contractsOf, type Contract } from "./contracts/contracts.ts";
import { CONVERSIONS } from "./contracts/conversions.ts";

const ROOT = join(import.meta.dirname, "../..");
const newer = await contractsOf({ folder: ROOT, node: process.execPath, bundle: bundleFor(latestRelease()) });
const used = new Set<string>();

for (const kept of keptReleases()) {
  const skip = (await whyNotBuildable(kept)) ?? false;
  await test(
    `what ${kept.version} stores and speaks is understood, unless a conversion is named`,
    { skip },
    async () => {
      const problems = (await changesSince(kept)).filter((problem) => !isConverted(problem));
      assert.deepEqual(problems, [], "each needs a conversion, listed in test/compatibility/contracts/conversions.ts");
    },
  );
}

const skip = (await whyNotBuildable(keptReleases()[0])) ?? false;
test("each conversion is for a change that there is, and is where it says", { skip }, () => {
  assert.deepEqual(
    CONVERSIONS.filter(({ about }) => !used.has(about)),
    [],
  );
  assert.deepEqual(
    CONVERSIONS.filter(({ by }) => !existsSync(join(ROOT, by))),
    [],
  );
});

async function changesSince(kept: KeptRelease): Promise<readonly string[]> {
  const built = await buildRelease(kept);
  const [node = ""] = built.command;
  const older = await contractsOf({ folder: built.folder, node, bundle: await built.bundle() });
  return older.flatMap((contract) =>
    changesOf(
      contract,
      newer.find(({ name }) => name === contract.name),
    ),
  );
}

function changesOf({ name, use, shape }: Contract, now: Contract | undefined): readonly string[] {
  return now === undefined ? [`${name}: this checkout does not have it`] : breakingChanges(use, shape, now.shape, name);
}

function isConverted(problem: string): boolean {
  const conversion = CONVERSIONS.find(({ about }) => problem.includes(about));
  if (conversion !== undefined) used.add(conversion.about);
  return conversion !== undefined;
}
