import { test } from "node:test";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { upgradeUnderLoad } from "./journey.ts";

const [oldest] = keptReleases();
const skip = (await whyNotBuildable(oldest)) ?? false;

test(`the oldest release, ${oldest.version}, is upgraded under load by its bundle and ours`, { skip }, () =>
  upgradeUnderLoad(oldest),
);
