import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion } from "../base/version.ts";
import { CATALOGUE } from "./catalogue.ts";
import {
  defaultStoreVersion,
  kubernetesSupport,
  latestRelease,
  releaseByNodeTag,
  releaseByOperator,
  supportedStoreVersions,
} from "./find.ts";
import { imagesOf, tagOf } from "./images.ts";
import { pathProblem } from "./path.ts";
import type { Release } from "./release.ts";

function release(version: string): Release {
  const found = releaseByOperator(version);
  assert.ok(found, `${version} is in the catalogue`);
  return found;
}

test("every version and tag of the catalogue parses, and no two releases share one", () => {
  const tags = CATALOGUE.flatMap((r) => [r.nodeTag, ...r.rebuiltNodeTags]);
  for (const text of [...CATALOGUE.map((r) => r.operator), ...tags]) assert.ok(parseVersion(text), text);
  assert.equal(new Set(tags).size, tags.length);
  assert.equal(new Set(CATALOGUE.map((r) => r.operator)).size, CATALOGUE.length);
});

test("the latest release is the highest version, not the newest date", () => {
  assert.equal(latestRelease().operator, "8.2.0-12");
});

test("a node tag finds its operator, also rebuilt and minimal ones; an unknown tag finds nothing", () => {
  assert.equal(releaseByNodeTag("8.2.0-25.12")?.operator, "8.2.0-12");
  assert.equal(releaseByNodeTag("8.2.0-25.12.minimal")?.operator, "8.2.0-12");
  assert.equal(releaseByNodeTag("7.4.2-104")?.operator, "7.4.2-2");
  assert.equal(releaseByNodeTag("9.9.9-9"), undefined);
});

test("supported database versions are those bundled and in the contract", () => {
  assert.deepEqual(supportedStoreVersions(release("7.4.2-2")), ["7.2"]);
  assert.deepEqual(supportedStoreVersions(release("7.22.0-7")), ["7.2", "7.4"]);
  assert.deepEqual(supportedStoreVersions(release("8.2.0-12")), ["7.2", "7.4", "8.0", "8.2"]);
  assert.equal(defaultStoreVersion(release("8.2.0-12")), "8.2");
  assert.equal(release("8.2.0-12").defaultDatabase, "8.6");
});

test("Kubernetes minors are supported, deprecated or neither", () => {
  assert.equal(kubernetesSupport(release("8.2.0-12"), "1.34"), "supported");
  assert.equal(kubernetesSupport(release("8.2.0-12"), "1.32"), "deprecated");
  assert.equal(kubernetesSupport(release("8.2.0-12"), "1.31"), "unsupported");
});

test("a tag is read from any spelling of an image", () => {
  assert.equal(imagesOf(latestRelease()).node, "storeenterprise/node:8.2.0-25.12");
  assert.equal(tagOf("registry:5000/a/b:1.2-3"), "1.2-3");
  assert.equal(tagOf("registry:5000/a/b"), "");
  assert.equal(tagOf("a/b:1@sha256:00"), "1");
});

const old: Release = { ...release("7.4.2-2"), operator: "7.2.4-12" };
const edge = [
  { ...release("7.22.2-21"), operator: "7.22.2-43" },
  { ...release("8.0.20-21"), operator: "8.0.20-26" },
] as const;

for (const [name, from, to, reason, via] of [
  ["one step up is allowed", release("8.0.2-2"), release("8.2.0-12"), undefined, undefined],
  ["the same release is allowed", release("8.2.0-12"), release("8.2.0-12"), undefined, undefined],
  ["7.4.2-2 may go to any later one", release("7.4.2-2"), release("8.2.0-12"), undefined, undefined],
  ["never down", release("8.2.0-12"), release("8.0.2-2"), "Downgrade", undefined],
  ["older than 7.4.2-2 goes through an older release first", old, release("8.2.0-12"), "BelowMinimum", "7.4.6-2"],
  ["a forbidden pair of builds goes through another", edge[0], edge[1], "ForbiddenStep", "8.0.20-21"],
] as const) {
  test(`path: ${name}`, () => {
    const problem = pathProblem(from, to);
    assert.equal(problem?.reason, reason);
    assert.equal(problem?.via, via);
  });
}
