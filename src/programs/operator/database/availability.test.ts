import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "../../../core/api/parts.ts";
import { available, serviceFindings, withoutService } from "./availability.ts";

const NOW = new Date("2026-01-01T00:01:00Z");
type Service = Parameters<typeof available>[0] & {};
const endpoint = {
  uid: "1:1",
  dns_name: "orders.default.svc",
  port: 12_000,
  addr: [],
  proxy_policy: "all-nodes",
} as const;
const serving: Service = {
  uid: 1,
  name: "orders",
  status: "active",
  version: "7.2.4",
  waiting_for: "",
  endpoints: [endpoint],
};
const away: Service = { ...serving, version: "", waiting_for: "node 1 does not answer" };
const lacking: Service = { ...away, status: "recovery", recovery: { lacks: "a volume", needs_consent: true } };
const running = (age_seconds: number): Service => ({
  ...away,
  running_script: { node_uid: "2", client: "10.0.0.7:51234", command: "EVAL", age_seconds },
});
const failed: Service = { ...away, status: "creation-failed", waiting_for: "no such module" };

const cases = [
  { rule: "a database that serves is available", bdb: serving, says: "True Serving", finds: [] },
  {
    rule: "one that serves has a few seconds to get its Service",
    bdb: serving,
    hasService: false,
    agoMs: 9_000,
    says: "True Serving",
    finds: [],
  },
  {
    rule: "one that serves and has no Service then is found: clients do not find it",
    bdb: serving,
    hasService: false,
    says: "True Serving",
    finds: [["wait", "ServiceMissing", /"orders" serves, .* quota/, /kubectl logs deployment\/rec-services-rigger/]],
  },
  {
    rule: "one that does not serve is found for that alone",
    bdb: away,
    hasService: false,
    says: "False NoPrimary",
    finds: [["wait", "DatabaseUnavailable", /node 1 does not answer/, /get pods/]],
  },
  {
    rule: "one whose primary has been away for as long as a failover takes is not yet found",
    bdb: away,
    agoMs: 19_000,
    says: "False NoPrimary",
    finds: [],
  },
  {
    rule: "one whose primary stays away is found, with the reason",
    bdb: away,
    says: "False NoPrimary",
    finds: [
      ["wait", "DatabaseUnavailable", /no primary has served "orders" since .*: node 1 does not answer/, /get pods/],
    ],
  },
  {
    rule: "one that waits for the data of a backup leads to its restore, which says for what that waits",
    bdb: {
      ...away,
      status: "recovery",
      recovery: { lacks: "all", needs_consent: false, awaits_data: true },
      waiting_for: "its data are to be restored",
    },
    says: "False Recovering",
    finds: [["wait", "DatabaseUnavailable", /its data are to be restored/, /kubectl describe rerestore$/]],
  },
  {
    rule: "one that waits for consent names the command that gives it",
    bdb: lacking,
    says: "False Recovering",
    finds: [["block", "DatabaseUnavailable", /node 1/, /kubectl patch rec rec .*"clusterRecovery":true/]],
  },
  {
    rule: "one that cannot be made is found at once",
    bdb: failed,
    agoMs: 0,
    says: "False CreationFailed",
    finds: [["block", "CreationFailed", /no such module/, /kubectl edit redb orders/]],
  },
  {
    rule: "one whose primary runs a script is not available, and for some seconds that is no finding",
    bdb: running(4),
    says: "False ScriptRunning",
    finds: [],
  },
  {
    rule: "a script past the limit of engines is found, with its client, its age and both ways out",
    bdb: running(73),
    agoMs: 0,
    says: "False ScriptRunning",
    finds: [
      [
        "wait",
        "ScriptRunning",
        /^"orders" serves nothing else: EVAL of client 10\.0\.0\.7:51234 has run for 73 s on node 2$/,
        /redis-cli -h orders\.default\.svc -p 12000 SCRIPT KILL .* UNKILLABLE .* kubectl delete pod rec-1$/,
      ],
    ],
  },
  {
    rule: "one whose replies wait for a replica that is in sync is available",
    bdb: { ...serving, sync_state: "in-sync" },
    says: "True Serving",
    finds: [],
  },
  {
    rule: "one without a replica in sync whose replies pass is available, and that is found at once",
    bdb: { ...serving, sync_state: "degraded" },
    agoMs: 0,
    says: "True Serving",
    finds: [
      ["warn", "NoReplicaInSync", /no replica of "orders" is in sync: .* may lose acknowledged writes/, /get pods/],
    ],
  },
  {
    rule: "one without a replica in sync whose replies wait is not available, and the choice is named",
    bdb: { ...serving, sync_state: "withheld" },
    agoMs: 0,
    says: "False NoReplicaInSync",
    finds: [
      ["wait", "NoReplicaInSync", /"orders" gives no replies/, /kubectl edit redb orders.*withoutReplica: degrade/],
    ],
  },
  {
    rule: "one whose primary is away says that, whatever its replies wait for",
    bdb: { ...away, sync_state: "degraded" },
    says: "False NoPrimary",
    finds: [["wait", "DatabaseUnavailable", /node 1 does not answer/, /get pods/]],
  },
  {
    rule: "one whose primary cannot move before a user acts serves, and the finding of its cluster is named",
    bdb: {
      ...serving,
      obstacle: { id: "MemoryTooSmall", severity: "wait", evidence: "102 of 100 bytes", remedy: "kubectl patch redb" },
    },
    agoMs: 0,
    says: "True Serving",
    finds: [["wait", "MemoryTooSmall", /102 of 100 bytes/, /kubectl patch redb/]],
  },
  {
    rule: "one whose shards cannot change before a user consents says so",
    bdb: {
      ...serving,
      obstacle: { id: "KeysMisplaced", severity: "consent", evidence: "shard 1 has 3", remedy: "storectl reshape" },
    },
    agoMs: 0,
    says: "True Serving",
    finds: [["consent", "KeysMisplaced", /shard 1 has 3/, /storectl reshape/]],
  },
  {
    rule: "a finding that this operator does not know is none",
    bdb: { ...serving, obstacle: { id: "OfALaterRelease", severity: "wait", evidence: "a", remedy: "b" } },
    agoMs: 0,
    says: "True Serving",
    finds: [],
  },
  {
    rule: "one that is being made has not been served yet",
    bdb: { ...away, status: "pending" },
    says: "False NoPrimary",
    finds: [],
  },
] as const;

for (const { rule, bdb, says, finds, ...more } of cases) {
  test(rule, () => {
    const agoMs = "agoMs" in more ? more.agoMs : 30_000;
    const lastTransitionTime = new Date(NOW.getTime() - agoMs).toISOString();
    const conditions = available(bdb, undefined).map((statement): Condition => ({ ...statement, lastTransitionTime }));
    assert.equal(conditions.map(({ status, reason }) => `${status} ${reason}`).join(), says);
    const hasService = !("hasService" in more);
    const found = serviceFindings(bdb, { cluster: "rec", conditions, hasService }, NOW);
    assert.equal(found.length, finds.length);
    for (const [index, [severity, id, evidence, remedy]] of finds.entries()) {
      assert.deepEqual([found[index]?.severity, found[index]?.id], [severity, id]);
      assert.match(found[index]?.evidence ?? "", evidence);
      assert.match(found[index]?.remedy ?? "", remedy);
    }
    assert.deepEqual(withoutService(found), []);
  });
}

test("nothing is said of a database that cannot be asked for", () => {
  assert.deepEqual([available(undefined, undefined), serviceFindings(undefined, { hasService: false }, NOW)], [[], []]);
});
