import assert from "node:assert/strict";
import { test } from "node:test";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import { admitByQuota } from "./exceeded-quota.ts";
import { refusalFinding } from "./permissions.ts";

const SECRETS =
  'secrets "rec-db-4" is forbidden: exceeded quota: objects, requested: secrets=1, used: secrets=9, limited: secrets=9';
const PODS =
  'create Pod rec-2 in StatefulSet rec failed error: pods "rec-2" is forbidden: exceeded quota: compute, ' +
  "requested: limits.memory=2Gi,requests.cpu=100m, used: limits.memory=4Gi,requests.cpu=7900m, limited: limits.memory=5Gi,requests.cpu=8";

const cases: readonly (readonly [rule: string, message: string, types: string | undefined])[] = [
  [
    "objects are counted",
    SECRETS,
    `kubectl patch resourcequota objects --type merge -p '{"spec":{"hard":{"secrets":"10"}}}'`,
  ],
  [
    "memory and cores are added up",
    PODS,
    `kubectl patch resourcequota compute --type merge -p '{"spec":{"hard":{"limits.memory":"6442450944","requests.cpu":"8"}}}'`,
  ],
  ["what follows the words of the API server is none of them", `${SECRETS} (403)`, typed(SECRETS)],
  ["another refusal is none of a quota", 'secrets "x" is forbidden: denied by policy', undefined],
];

for (const [rule, message, types] of cases)
  test(`a quota that refuses a request is made to admit it: ${rule}`, () => {
    assert.equal(typed(message), types);
  });

test("a request that a quota refuses has the line that makes the quota admit it", () => {
  const { id, evidence, remedy } = refusalFinding(SECRETS, "shop", "store-enterprise-operator");
  assert.deepEqual([id, evidence, remedy], ["RequestForbidden", SECRETS, admitByQuota(SECRETS)]);
  assert.match(refusalFinding("denied", "shop", "store-enterprise-operator").remedy, /^look for a quota or/);
});

function typed(message: string): string | undefined {
  return typedLines(admitByQuota(message) ?? "")[0];
}
