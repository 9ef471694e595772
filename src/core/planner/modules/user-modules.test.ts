import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "../../api/cluster-spec.ts";
import type { UserModuleStatus } from "../../api/cluster-status.ts";
import {
  attemptDelayMs,
  beginAttempt,
  failedSince,
  installedList,
  listedModules,
  modulesToFetch,
  uploadedSince,
} from "./user-modules.ts";

const URL_1 = "https://modules.example/tally-1.zip";
const URL_2 = "https://modules.example/tally-2.zip";
const spec = clusterSpec.parse({
  userDefinedModules: [{ name: "tally", source: { https: { url: URL_1, credentialsSecret: "login" } } }],
});
const installed: UserModuleStatus = {
  name: "tally",
  url: URL_1,
  state: "Installed",
  message: "",
  moduleName: "tally",
  version: "1.0.0",
};
const present = [{ name: "tally", displayName: "Tally", version: "1.0.0", isLost: false }];
const lost = present.map((module) => ({ ...module, isLost: true }));

test("the secret of a module may stand at its source or beside it", () => {
  const beside = clusterSpec.parse({
    userDefinedModules: [{ name: "tally", source: { https: { url: URL_1 } }, credentialsSecret: "login" }],
  });
  assert.deepEqual(listedModules(beside), listedModules(spec));
  assert.deepEqual(listedModules(spec), [{ name: "tally", url: URL_1, credentialsSecret: "login", sha256: undefined }]);
});

const cases = [
  { rule: "a module that was never fetched is fetched", remembered: [], present: [], fetched: 1 },
  { rule: "a module that is installed is not fetched", remembered: [installed], present, fetched: 0 },
  { rule: "a module that no node has any more is fetched", remembered: [installed], present: lost, fetched: 1 },
  { rule: "a module that was removed from the cluster is fetched", remembered: [installed], present: [], fetched: 1 },
  {
    rule: "a module whose download failed is fetched",
    remembered: [{ ...installed, state: "Failed" as const }],
    present,
    fetched: 1,
  },
  {
    rule: "a module whose address changed is fetched",
    remembered: [{ ...installed, url: URL_2 }],
    present,
    fetched: 1,
  },
];
for (const { rule, remembered, present: there, fetched } of cases) {
  test(rule, () => {
    assert.equal(modulesToFetch(listedModules(spec), remembered, there).length, fetched);
  });
}

test("nodes are restarted for what is installed, not for what is only listed", () => {
  assert.deepEqual(installedList(spec, []), []);
  assert.deepEqual(installedList(spec, [{ ...installed, state: "Failed" }]), []);
  assert.deepEqual(installedList(spec, [installed]), [`tally ${URL_1}`]);
});

const uploads = [
  {
    rule: "an older build of a module that cannot be fetched is not the listed one",
    since: ["0.9.0", "1.0.0"],
    found: 0,
  },
  { rule: "a build that was uploaded after the download failed is the listed one", since: ["0.9.0"], found: 1 },
  { rule: "a module that was never fetched has not failed", since: undefined, found: 0 },
];
for (const { rule, since, found } of uploads) {
  test(`a module that cannot be fetched: ${rule}`, () => {
    const failed =
      since && ({ ...installed, name: "Tally", state: "Failed", version: "", versionsBefore: since } as const);
    assert.equal(uploadedSince(failed, present) === undefined ? 0 : 1, found);
  });
}

const failures = [
  { rule: "keeps the versions that were there", before: undefined, versions: ["1.0.0"] },
  {
    rule: "that failed before keeps those of the first time",
    before: { versionsBefore: ["0.9.0"] },
    versions: ["0.9.0"],
  },
  {
    rule: "that failed before an upgrade of the operator, too",
    before: { version: "0.8.0, 0.9.0" },
    versions: ["0.8.0", "0.9.0"],
  },
];
for (const { rule, before, versions } of failures) {
  test(`a module ${rule}`, () => {
    const failed = { ...installed, state: "Failed", version: "" } as const;
    const { versionsBefore, version } = failedSince(failed, before && { ...failed, ...before }, present);
    assert.deepEqual({ versionsBefore, version }, { versionsBefore: versions, version: versions.join(", ") });
  });
}

const attempts = [
  { rule: "that was never tried is tried at once", before: undefined, delay: 0, next: ["Installing", 1, ""] },
  {
    rule: "that ended the operator is tried later, and says so",
    before: { state: "Installing", attempts: 1 },
    delay: 2_000,
    next: ["Installing", 2, "attempt 2: the operator ended before the module was installed"],
  },
  {
    rule: "that ends every operator is tried every five minutes",
    before: { state: "Installing", attempts: 40 },
    delay: 300_000,
    next: ["Installing", 41, "attempt 41: the operator ended before the module was installed"],
  },
  {
    rule: "that failed keeps its reason while it is tried again",
    before: { state: "Failed", attempts: 1, message: "the server answers 404" },
    delay: 2_000,
    next: ["Failed", 2, "the server answers 404"],
  },
  {
    rule: "that was installed and is gone begins anew",
    before: { state: "Installed" },
    delay: 0,
    next: ["Installing", 1, ""],
  },
] as const;
for (const { rule, before, delay, next } of attempts) {
  test(`a module ${rule}`, () => {
    const known = before && { ...installed, message: "", ...before };
    const begun = beginAttempt({ name: installed.name, url: URL_1 }, known);
    assert.equal(attemptDelayMs(known), delay);
    assert.deepEqual([begun.state, begun.attempts, begun.message], next);
  });
}

test("the digest of a listed module is that of its archive", () => {
  const sha256 = "0".repeat(64);
  const [first] = spec.userDefinedModules ?? [];
  assert.ok(first !== undefined);
  const listed = listedModules({ ...spec, userDefinedModules: [{ ...first, sha256 }] });
  assert.deepEqual(
    listed.map((one) => one.sha256),
    [sha256],
  );
});
