// The programs of a real Kubernetes: tests ask `findAssets` or `skipWithout`, scripts/kube-assets.ts makes them.
export { ensureAssets } from "./ensure.ts";
export { Impossible } from "./progress.ts";
export { findAssets, isLevel, skipWithout, type Found } from "./folder.ts";
export { LEVELS, VERSION, type Level } from "./recipe.ts";
