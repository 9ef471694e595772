import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOfStore, storeOfSaved } from "./saved-place.ts";

const BEFORE = { bucketName: "first", awsSecretName: "keys", endpoint: "https://first.example", subdir: "team" };
const NOW = { bucketName: "second", awsSecretName: "new-keys", regionName: "eu-2", pathStyle: true, subdir: "other" };

test("what was saved lies where it was put, and is opened by what the spec names now", () => {
  const store = storeOfSaved(NOW, { place: placeOfStore(BEFORE) });
  assert.deepEqual(store, {
    bucketName: "first",
    endpoint: "https://first.example",
    awsSecretName: "new-keys",
    subdir: "other",
  });
});

test("what an earlier release has saved lies where the spec says", () => {
  assert.deepEqual(storeOfSaved(NOW, {}), NOW);
});

test("a place names no Secret", () => {
  assert.deepEqual(placeOfStore(NOW), { bucketName: "second", regionName: "eu-2", pathStyle: true });
});
