import type { DatabaseRecord, InstanceRecord, ShardRecord } from "../../../../core/api/records.ts";
import { portMode, wantsTls } from "../../../../core/planner/database/facts.ts";
import { placedInOthers } from "../../../../core/planner/database/placed.ts";
import { instanceSize } from "../../../../core/planner/node/instance-size.ts";
import { placeKept, portOffsetOf } from "../../../../core/planner/database/placement.ts";
import type { BdbRecover } from "../../../../ports/management/records.ts";
import { gatherNodes } from "../../observation/node-facts.ts";
import { lacksConsent, lacksText, withAdopted, withConsent } from "../../../../core/records/recovery-changes.ts";
import { placedInstances } from "../../../../core/records/placed-instances.ts";
import { changeRecord } from "./record-changes.ts";
import { refusals, refuse } from "../http/refusals.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Writes into the record that a user agrees to what is gone, or that data which a node has set aside is used instead; refuses
 * for a database that is not in recovery. Idempotent.
 */
export async function recoverBdb(
  context: WriteContext,
  seen: DatabaseRecord,
  { recover_without_data: isAgreed = false, set_aside: data }: BdbRecover,
): Promise<DatabaseRecord> {
  const instance = data === undefined ? undefined : await instanceFrom(context, seen, data);
  return changeRecord(context.records, seen.uid, (record) => {
    const { name, status, shards } = record;
    if (status !== "recovery")
      throw refuse(refusals.notInRecovery, `"${name}" is ${status}; only a database in recovery is recovered`);
    const lacking = shards.filter(lacksConsent);
    if (lacking.length === 0) return record;
    if (instance !== undefined)
      return withAdopted(record, ownerOf(record, lacking, instance).id, instance, context.clock.now().toISOString());
    // of several shards, the caller has agreed to what this node could show: another one may lack something since
    const next = isAgreed ? withConsent(record, shards.length > 1 ? seen.shards : shards) : record;
    if (next === record) throw refuse(refusals.consentMissing, lacksText(record));
    return next;
  });
}

/** The shard that data which a node has set aside is of; refused when that is not known, or the shard lacks nothing. */
function ownerOf(
  { name, shards }: DatabaseRecord,
  lacking: readonly ShardRecord[],
  { id, node }: InstanceRecord,
): ShardRecord {
  // of the only shard is whatever is there of the database
  const owner = lacking.find(({ instances }) => shards.length === 1 || instances.some((one) => one.id === id));
  if (owner !== undefined) return owner;
  throw refuse(
    refusals.noSuchData,
    `the data of instance ${id} on node ${node} is of no shard of "${name}" that lacks data`,
  );
}

/** The instance whose data a node has set aside, with a port of that node; AGENT_NO_SUCH_DATA when it has none of that id. */
async function instanceFrom(
  context: WriteContext,
  record: DatabaseRecord,
  { node, id }: NonNullable<BdbRecover["set_aside"]>,
): Promise<InstanceRecord> {
  const { uid, name, storeVersion, tlsMode } = record;
  const member = context.members.list().find((one) => one.uid === node);
  const data = member?.report.setAside.find((one) => one.id === id && one.bdb === uid);
  if (data === undefined) throw refuse(refusals.noSuchData, `node ${node} has no data ${id} of "${name}" set aside`);
  const shard = record.shards.find(({ instances }) => instances.some((one) => one.id === data.instance));
  const request = {
    storeVersion,
    tls: wantsTls({ tlsMode }),
    // of a shard that is not found nothing is adopted when there are several
    ...instanceSize(record, shard ?? {}),
    avoid: [],
    ofOtherShards: shard === undefined ? [] : placedInOthers(record, shard),
    shardsPlacement: record.shardsPlacement,
    role: "primary" as const,
    nodes: (await gatherNodes(context)).filter((one) => one.uid === node),
    everything: placedInstances(context.records.databases()),
    portOffset: portOffsetOf(uid, data.instance),
  };
  const placed = placeKept(request, ["growth", "resting", "machine"]);
  if ("id" in placed) throw refuse(refusals.insufficientResources, placed.evidence);
  return { id: data.instance, ...placed, storeVersion, ...portMode({ tlsMode }), launch: 0 };
}
