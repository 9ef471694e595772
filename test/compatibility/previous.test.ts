import { test } from "node:test";
import { whyNotBuildable } from "../../scripts/releases/build.ts";
import { keptReleases } from "../../scripts/releases/history.ts";
import { findHelm } from "./helm.ts";
import { upgradeUnderLoad } from "./journey.ts";

const all = keptReleases();
const previous = all.at(-1) ?? all[0];
const helm = findHelm();
const skip = (await whyNotBuildable(previous)) ?? false;
const way = helm === undefined ? "by its bundle and ours, for there is no helm" : "by Helm";

test(`the previous release, ${previous.version}, is upgraded under load ${way}`, { skip }, () =>
  upgradeUnderLoad(previous, helm),
);
