import assert from "node:assert/strict";
import { test } from "node:test";
import type { Resources } from "../node/node-containers.ts";
import { typedLines } from "../../../../test/kit/frozen/typed-lines.ts";
import { admitByQuota, type Quota, type SinceRefused } from "./exceeded-quota.ts";
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

const QUOTA: Quota = { name: "compute", hard: { "limits.memory": "5Gi", "requests.cpu": "8" }, used: {} };
const FAILED =
  'pods "rec-2" is forbidden: failed quota: compute: must specify limits.cpu for: a,b; requests.memory for: b';
const nodesOf = (resources: Resources) => ({ name: "rec", spec: { storeEnterpriseNodeResources: resources } });
const ASK_NO_MORE = `kubectl patch resourcequota compute --type merge -p '{"spec":{"hard":{"limits.cpu":null,"requests.memory":null}}}'`;

const now: readonly (readonly [rule: string, message: string, since: SinceRefused, types: readonly string[]])[] = [
  [
    "what is used now counts, and not what was used then",
    PODS,
    { quotas: [{ ...QUOTA, used: { "limits.memory": "5Gi", "requests.cpu": "1" } }] },
    [`kubectl patch resourcequota compute --type merge -p '{"spec":{"hard":{"limits.memory":"7516192768"}}}'`],
  ],
  [
    "for all pods that are missing",
    PODS,
    { quotas: [{ ...QUOTA, used: { "limits.memory": "1Gi", "requests.cpu": "7900m" } }], requests: 2 },
    [`kubectl patch resourcequota compute --type merge -p '{"spec":{"hard":{"requests.cpu":"8.1"}}}'`],
  ],
  ["what it admits by now needs nothing", PODS, { quotas: [{ ...QUOTA, used: { "limits.memory": "3Gi" } }] }, []],
  ["a quota that is gone refuses nothing", PODS, { quotas: [] }, []],
  ["a limit that was taken away refuses nothing", PODS, { quotas: [{ ...QUOTA, hard: {} }] }, []],
  ["what a container does not say is asked for no more", FAILED, {}, [ASK_NO_MORE]],
  [
    "the nodes of a cluster may say it, as much as is said beside it",
    FAILED,
    { nodesOf: nodesOf({ requests: { cpu: "1" } }) },
    [
      `kubectl patch rec rec --type merge -p '{"spec":{"storeEnterpriseNodeResources":{"requests":{"memory":"4Gi"},"limits":{"cpu":"1"}}}}'`,
      ASK_NO_MORE,
    ],
  ],
  [
    "nodes that say all of it wait for their next template",
    FAILED,
    { nodesOf: nodesOf({ requests: { memory: "1Gi" }, limits: { cpu: "1" } }) },
    [ASK_NO_MORE],
  ],
  ["what it asks for no more needs nothing", FAILED, { quotas: [{ ...QUOTA, hard: { pods: "9" } }] }, []],
];

for (const [rule, message, since, types] of now)
  test(`a quota as it is now: ${rule}`, () => {
    assert.deepEqual(typedLines(admitByQuota(message, since) ?? ""), types);
  });

function typed(message: string): string | undefined {
  return typedLines(admitByQuota(message) ?? "")[0];
}
