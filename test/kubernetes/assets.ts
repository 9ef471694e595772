// The programs of a real Kubernetes: tests ask `findAssets` or `skipWithout`, scripts/kube-assets.ts makes them.
export { ensureAssets, Impossible } from "./assets/ensure.ts";
export { findAssets, isLevel, skipWithout, type Found } from "./assets/folder.ts";
export { LEVELS, VERSION, type Level } from "./assets/recipe.ts";
