import { getObjects } from "../../api/kubectl.ts";
import type { DatabaseSpec } from "../../api/database-spec.ts";
import { differingSettings, settingsOfSpec, specNames } from "../../api/settings/values.ts";
import type { StoreVersion } from "../../api/records.ts";
import type { SettingValues } from "../../api/settings/types.ts";
import { compareVersionText } from "#kit/base/version";
import { warn, type FindingOf } from "../findings/finding.ts";

/** A database of which something may be under way. */
export interface ChangingDatabase extends SettingValues {
  /** No change of it is under way. */
  readonly isSettled: boolean;
  /** What is under way, as a sentence, while it is not settled. */
  readonly underWay: string;
  /** The database may get more memory all the same: the change under way may wait for it. */
  readonly mayGrow?: boolean;
  /** How many it has, or is to have by what was asked of the cluster last. */
  readonly shards: number;
  readonly storeVersion: StoreVersion;
  /** Where an upgrade that is under way leads; undefined while none is, and where the cluster does not say it. */
  readonly upgradesTo: StoreVersion | undefined;
}

/** What the spec says of shards and the cluster was not asked for. */
interface OtherShards {
  readonly shards?: number;
  readonly slots?: readonly string[];
}

/** What the spec says that the cluster gets only when a change that is under way has ended; undefined when nothing waits. */
export function waitingEdit(
  name: string,
  spec: DatabaseSpec,
  existing: ChangingDatabase | undefined,
  shards: OtherShards,
): FindingOf<"EditWaits"> | undefined {
  if (existing === undefined || existing.isSettled) return undefined;
  const waiting = [...waitingSettings(spec, existing), ...waitingBesides(spec, existing, shards)];
  if (waiting.length === 0) return undefined;
  const fields = waiting.map((field) => `spec.${field}`).join(", ");
  const evidence = `${fields} ${waiting.length === 1 ? "is" : "are"} applied once this has ended: ${existing.underWay}`;
  const remedy = `wait for it: ${getObjects(`redb ${name}`)} -w; what keeps it from its end is found besides`;
  return warn("EditWaits", evidence, remedy);
}

/** The memory may grow: the change may wait for it. */
function waitingSettings(spec: DatabaseSpec, existing: ChangingDatabase): readonly string[] {
  const desired = settingsOfSpec(spec);
  const { memoryBytes, ...others } = differingSettings(desired, existing);
  const isGiven = existing.mayGrow === true && desired.memoryBytes > existing.memoryBytes;
  return specNames(isGiven || memoryBytes === undefined ? others : { memoryBytes, ...others });
}

/** An upgrade that is under way is no edit that waits, and a still higher version has a finding of its own. */
function waitingBesides(
  { storeVersion }: DatabaseSpec,
  existing: ChangingDatabase,
  { shards, slots }: OtherShards,
): readonly string[] {
  const mayNot = existing.mayGrow !== true;
  const isHigher = (compareVersionText(storeVersion ?? "", existing.storeVersion) ?? 0) > 0;
  return [
    ...(mayNot && shards !== undefined ? ["shardCount"] : []),
    ...(mayNot && slots !== undefined ? ["shardSlots"] : []),
    ...(isHigher && existing.upgradesTo === undefined ? ["storeVersion"] : []),
  ];
}
