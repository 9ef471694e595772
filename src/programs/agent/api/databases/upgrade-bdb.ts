import { randomUUID } from "node:crypto";
import { STORE_VERSIONS } from "../../../../core/api/records.ts";
import type { DatabaseRecord, StoreVersion } from "../../../../core/api/records.ts";
import { compareVersionText } from "#kit/base/version";
import { engineText } from "../../../../core/releases/engines/engines.ts";
import { policiesAgainst, policySentence } from "../../../../core/planner/admission/upgrade-policy.ts";
import {
  defaultStoreVersion,
  majorVersions,
  supportedStoreVersions,
} from "../../../../core/releases/catalogue/find.ts";
import type { Release } from "../../../../core/releases/catalogue/release.ts";
import type { BdbUpgrade } from "../../../../ports/management/records.ts";
import { observeEngines } from "../../observation/engine-answers.ts";
import type { EnginesContext } from "../../observation/engine-answers.ts";
import { policyFor, requireEngineTls, requireLicense, requireModules, requireUpgradePath } from "./checks.ts";
import { refusals, refuse } from "../http/refusals.ts";
import { changeRecord, requireIdle, runningAction } from "./record-changes.ts";
import type { WriteContext } from "./write-context.ts";

/** Writes the target of an upgrade into the record, which the leader then carries out; refuses one that is not possible. */
export async function upgradeBdb(
  context: WriteContext,
  seen: DatabaseRecord,
  body: BdbUpgrade,
): Promise<DatabaseRecord> {
  const { config, records, clock } = context;
  const { parallel_shards_upgrade: atOnce } = body;
  requireLicense(context);
  const target =
    STORE_VERSIONS.find((version) => version === body.store_version) ?? newestFor(context, seen, config.release);
  if (seen.upgrade?.target === target || (seen.upgrade === undefined && seen.storeVersion === target)) return seen;
  requirePolicy(context, seen, target);
  requireModules(context, seen.modules ?? [], target);
  requireEngineTls(context, seen, target);
  for (const engine of await servingEngines(context, seen)) requireUpgradePath(context, seen, target, engine);
  const now = clock.now().toISOString();
  const uid = randomUUID();
  return changeRecord(records, seen.uid, (record) => {
    requireIdle(record);
    return {
      ...record,
      status: "active-change-pending",
      lastChangedTime: now,
      lastAction: runningAction("upgrade_bdb", uid),
      upgrade: {
        target,
        actionUid: uid,
        startedAt: now,
        mayDiscardData: body.may_discard_data ?? false,
        ...(atOnce === undefined ? {} : { parallelShards: atOnce }),
        waitingFor: "",
      },
    };
  });
}

/** Refuses a minor version while the policy of the cluster or of the database is `major` (§2.2). */
function requirePolicy(context: WriteContext, record: DatabaseRecord, target: StoreVersion): void {
  const policies = { cluster: context.records.state()?.upgradePolicy, database: record.upgradePolicy };
  const against = policiesAgainst(policies, record.storeVersion, target);
  if (against.length === 0) return;
  const sentence = policySentence(target, majorVersions(supportedStoreVersions(context.config.release)), {
    cluster: context.config.cluster,
    byCluster: against.includes("cluster"),
    databases: against.includes("database") ? [record] : [],
  });
  throw refuse(refusals.policyMajor, sentence);
}

/** The newest version that the policies allow; where the database is past it, the one that it has. */
function newestFor({ records }: WriteContext, seen: DatabaseRecord, release: Release): StoreVersion {
  const newest = defaultStoreVersion(release, policyFor(records, seen.upgradePolicy));
  return (compareVersionText(newest, seen.storeVersion) ?? 0) < 0 ? seen.storeVersion : newest;
}

/** The engine of each shard; empty while its primary does not serve. */
async function servingEngines(context: EnginesContext, record: DatabaseRecord): Promise<readonly string[]> {
  const answers = await observeEngines(context, record);
  return record.shards.map(({ primary }) => {
    const answer = answers.get(primary);
    return answer?.state === "serving" ? engineText(answer.engine) : "";
  });
}
