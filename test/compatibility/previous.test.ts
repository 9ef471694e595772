import { test } from "node:test";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { upgradeUnderLoad } from "./journey.ts";

const [oldest, ...later] = keptReleases();
const previous = later.at(-1) ?? oldest;
const obstacle = previous === oldest ? "it is the oldest one too: oldest.test.ts" : await whyNotBuildable(previous);
const skip = obstacle ?? false;

test(`the previous release, ${previous.version}, is upgraded under load`, { skip }, () => upgradeUnderLoad(previous));
