import { distributionSupport } from "./distribution.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseVersion } from "#kit/base/version";
import { CATALOGUE } from "./catalogue.ts";
import {
  defaultStoreVersion,
  latestRelease,
  releaseByNodeTag,
  releaseByOperator,
  supportedStoreVersions,
} from "./find.ts";
import { imagesOf, imageTagOf } from "./images.ts";
import { knownIssues } from "./known-issues.ts";
import { openShiftOf } from "./open-shift.ts";
import { pathProblem, unknownPathProblem } from "./path.ts";
import { newPorts } from "./ports.ts";
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
  assert.equal(defaultStoreVersion(release("8.2.0-12"), "latest"), "8.2");
  assert.equal(defaultStoreVersion(release("8.2.0-12"), "major"), "8.0");
  assert.equal(defaultStoreVersion(release("7.22.0-7"), "major"), "7.2");
  assert.equal(release("8.2.0-12").defaultDatabase, "8.6");
});

test("Kubernetes minors are supported, deprecated or neither", () => {
  const support = (operator: string, minor: string, isOpenShift = false): unknown => {
    const { name, support: is } = distributionSupport(release(operator), { minor, isOpenShift });
    return `${name} ${is}`;
  };
  assert.equal(support("8.2.0-12", "1.34"), "Kubernetes 1.34 supported");
  assert.equal(support("8.2.0-12", "1.32"), "Kubernetes 1.32 deprecated");
  assert.equal(support("8.2.0-12", "1.31"), "Kubernetes 1.31 unsupported");
  assert.equal(support("7.8.6-1", "1.32"), "Kubernetes 1.32 supported");
  assert.equal(support("7.8.6-1", "1.32", true), "OpenShift 4.19 unsupported");
  assert.equal(support("7.8.6-1", "1.31", true), "OpenShift 4.18 supported");
  assert.equal(support("7.8.6-1", "1.99", true), "OpenShift with Kubernetes 1.99 unknown");
});

test("OpenShift minors pair with Kubernetes minors, and each release names its own", () => {
  assert.equal(openShiftOf("1.33"), "4.20");
  assert.equal(openShiftOf("1.99"), undefined);
  assert.deepEqual(release("8.0.18-11").openShift, {
    supported: ["4.20", "4.21", "4.22"],
    deprecated: ["4.18", "4.19"],
  });
  assert.deepEqual(release("7.4.2-2").kubernetes, { supported: ["1.27", "1.28", "1.29"], deprecated: ["1.26"] });
});

test("base system, stored version, security default and end of care follow the version", () => {
  assert.deepEqual(
    ["7.4.6-2", "7.8.2-6", "7.22.0-7", "8.0.2-2", "8.2.0-12"].map((version) => {
      const { baseSystems, storedVersion, security, endOfLife } = release(version);
      return [baseSystems.join(" or "), storedVersion, security, endOfLife];
    }),
    [
      ["ubuntu18 or rhel8", "v1alpha1", "privileged", "2026-11"],
      ["rhel9", "v1alpha1", "privileged", "2027-05"],
      ["rhel9", "v1alpha1", "unprivileged", "2027-10"],
      ["rhel9", "v1", "unprivileged", "2028-07"],
      ["rhel9", "v1", "unprivileged", undefined],
    ],
  );
});

test("a step needs the ports that releases between reserved, and no others", () => {
  const ports = newPorts(release("7.8.6-1"), release("8.2.0-12"));
  assert.deepEqual(ports, [
    { first: 3346, last: 3346 },
    { first: 3351, last: 3355 },
  ]);
  assert.deepEqual(newPorts(release("8.0.2-2"), release("8.2.0-12")), []);
  assert.equal(newPorts(release("7.4.2-2"), release("8.2.0-12")).length, 5);
});

test("known issues are listed for the steps that meet them", () => {
  const ids = (from: string, to: string, modules: string[] = []) =>
    knownIssues(release(from), release(to), modules).map(({ id }) => id);
  assert.deepEqual(ids("8.0.6-8", "8.2.0-12"), []);
  assert.deepEqual(ids("8.0.6-8", "8.0.16-24"), ["ExpiredLicenseStopsPods"]);
  assert.deepEqual(ids("7.22.0-7", "7.22.2-43"), []);
  assert.deepEqual(ids("7.22.2-43", "8.0.2-2"), ["ExpiredLicenseStopsPods", "StoredVersionMoves"]);
  assert.deepEqual(ids("7.22.0-7", "8.2.0-12"), ["StoredVersionMoves"]);
  assert.deepEqual(ids("7.22.0-7", "8.2.0-12", ["graph"]), ["RemovedModulesStopJoins", "StoredVersionMoves"]);
  assert.deepEqual(ids("7.4.2-2", "7.8.2-6"), ["OldModulesStopRecovery"]);
});

test("a tag is read from any spelling of an image", () => {
  assert.equal(imagesOf(latestRelease()).node, "storeenterprise/node:8.2.0-25.12");
  assert.equal(imageTagOf("registry:5000/a/b:1.2-3"), "1.2-3");
  assert.equal(imageTagOf("registry:5000/a/b"), "");
  assert.equal(imageTagOf("a/b:1@sha256:00"), "1");
});

for (const [name, from, to, reason, via] of [
  ["one step up is allowed", release("8.0.2-2"), release("8.2.0-12"), undefined, undefined],
  ["the same release is allowed", release("8.2.0-12"), release("8.2.0-12"), undefined, undefined],
  ["7.4.2-2 may go to any later one", release("7.4.2-2"), release("8.2.0-12"), undefined, undefined],
  ["never down", release("8.2.0-12"), release("8.0.2-2"), "Downgrade", undefined],
  [
    "older than 7.4.2-2 goes through an older release first",
    release("7.2.4-12"),
    release("8.2.0-12"),
    "BelowMinimum",
    "7.4.6-2",
  ],
  [
    "a minimum that the release is before may be skipped",
    release("7.2.4-12"),
    release("7.4.6-2"),
    undefined,
    undefined,
  ],
  [
    "a forbidden pair of builds goes through another",
    release("7.22.2-43"),
    release("8.0.20-26"),
    "ForbiddenStep",
    "8.0.20-21",
  ],
  ["another build of the pair is allowed", release("7.22.2-21"), release("8.0.20-26"), undefined, undefined],
] as const) {
  test(`path: ${name}`, () => {
    const problem = pathProblem(from, to);
    assert.equal(problem?.reason, reason);
    assert.equal(problem?.via, via);
  });
}

for (const [name, fromTag, reason] of [
  ["an older line is below the minimum", "7.2.4-999", "BelowMinimum"],
  ["a newer line is never taken back", "9.0.0-1", "Downgrade"],
  ["nothing is certain within a line", "8.2.0-1", undefined],
  ["nor on a line between", "7.22.1-5", undefined],
  ["nor of a tag that is no version", "nightly", undefined],
] as const) {
  test(`path from a tag in no release: ${name}`, () => {
    assert.equal(unknownPathProblem(fromTag, release("8.2.0-12"))?.reason, reason);
  });
}
