import { test } from "node:test";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { upgradeUnderLoad } from "./journey.ts";

// the oldest and the previous release have a file of their own
for (const release of keptReleases().slice(1, -1)) {
  const skip = (await whyNotBuildable(release)) ?? false;
  await test(`the release ${release.version} is upgraded under load by its bundle and ours`, { skip }, () =>
    upgradeUnderLoad(release),
  );
}
