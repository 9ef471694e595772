import assert from "node:assert/strict";
import { test } from "node:test";
import { clusterSpec } from "../../../core/api/cluster-spec.ts";
import type { ClusterPolicy } from "../../../ports/management/records.ts";
import { policyToSend } from "./policy.ts";

const KEPT: ClusterPolicy = { redis_upgrade_policy: "latest", set_aside_retention_days: 7 };
const OLDER: ClusterPolicy = { redis_upgrade_policy: "latest" };

const cases: readonly {
  readonly rule: string;
  readonly spec: object;
  readonly has: ClusterPolicy;
  readonly sent: ClusterPolicy | undefined;
}[] = [
  { rule: "a cluster that has what its spec says is sent nothing", spec: {}, has: KEPT, sent: undefined },
  {
    rule: "setAsideRetentionDays is sent when it differs",
    spec: { setAsideRetentionDays: 30 },
    has: KEPT,
    sent: { redis_upgrade_policy: "latest", set_aside_retention_days: 30 },
  },
  {
    rule: "a cluster of an older release is not sent what it would refuse",
    spec: { setAsideRetentionDays: 30 },
    has: OLDER,
    sent: undefined,
  },
  {
    rule: "a cluster of an older release is sent the policy of upgrades",
    spec: { storeUpgradePolicy: "major", setAsideRetentionDays: 30 },
    has: OLDER,
    sent: { redis_upgrade_policy: "major" },
  },
];

for (const { rule, spec, has, sent } of cases) {
  test(rule, () => assert.deepEqual(policyToSend(clusterSpec.parse(spec), has), sent));
}
