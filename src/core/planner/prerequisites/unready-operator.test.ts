import assert from "node:assert/strict";
import { test } from "node:test";
import { latestRelease } from "../../releases/catalogue/find.ts";
import { unreadyOperatorRemedy } from "./unready-operator.ts";

const DESCRIBED = "kubectl describe deployment/store-enterprise-operator";
const cases: readonly (readonly [rule: string, image: string, remedy: string])[] = [
  ["an operator of a known release is looked at", `registry:5000/operator:${latestRelease().operator}`, DESCRIBED],
  [
    "one of a release that no catalogue has goes back to the one before",
    "registry:5000/operator:9.9.9-1",
    "kubectl rollout undo deployment/store-enterprise-operator",
  ],
  ["one that is named by its digest alone is looked at", `registry:5000/operator@sha256:${"0".repeat(64)}`, DESCRIBED],
  ["one that is not there is looked for", "", DESCRIBED],
];

for (const [rule, image, remedy] of cases)
  test(rule, () => {
    assert.equal(unreadyOperatorRemedy({ image, wanted: image === "" ? 0 : 1 }), remedy);
  });

test("one that was scaled away gets a pod again", () => {
  assert.equal(
    unreadyOperatorRemedy({ image: `registry:5000/operator:${latestRelease().operator}`, wanted: 0 }),
    "kubectl scale deployment/store-enterprise-operator --replicas=1",
  );
});

test("one that is being deleted is freed of what keeps it", () => {
  const freed = (kind: string): string =>
    `kubectl patch ${kind} store-enterprise-operator --type merge -p '{"metadata":{"finalizers":null}}'`;
  assert.equal(
    unreadyOperatorRemedy({ image: "", wanted: 0, leaving: true }),
    `when it does not end: ${freed("deployment")}; ${freed("serviceaccount")}`,
  );
});

test("one that is paused goes on, before it goes back", () => {
  const resume = "kubectl rollout resume deployment/store-enterprise-operator";
  const remedy = (tag: string, paused: "behind" | "current"): string =>
    unreadyOperatorRemedy({ image: `registry:5000/operator:${tag}`, wanted: 1, paused });
  assert.equal(remedy(latestRelease().operator, "behind"), resume);
  assert.equal(remedy(latestRelease().operator, "current"), DESCRIBED, "the pause does not keep its pod away");
  assert.equal(
    remedy("9.9.9-1", "behind"),
    `${resume} && kubectl rollout undo deployment/store-enterprise-operator`,
    "kubectl takes no Deployment back that is paused",
  );
});
