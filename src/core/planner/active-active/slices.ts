import { globalConfiguration } from "../../api/database-spec.ts";
import { deleteActiveActive, editObject } from "../../api/kubectl.ts";
import type { ActiveActiveSpec } from "../../api/active-active.ts";
import type { Finding } from "../../api/parts.ts";
import type { ActiveActiveRecord } from "../../api/records.ts";
import { block } from "../findings/finding.ts";
import type { Participant } from "./participants.ts";

/** How many slices an Active-Active database has: as many as the shards that it was made with. */
export function countSlices({ configuration }: Pick<ActiveActiveRecord, "configuration">): number {
  return globalConfiguration.shape.shardCount.safeParse(configuration["shardCount"]).data ?? 1;
}

/** How many shards a participant has. */
export function shardsOfSite(record: Pick<ActiveActiveRecord, "configuration" | "participants">, name: string): number {
  return record.participants.find((one) => one.name === name)?.shardCount ?? countSlices(record);
}

/** Why shards of an object cannot become those of the participants; `known`: what they know of the database, undefined while it is to be made. */
export function sliceFindings(
  { globalConfigurations, participatingClusters }: ActiveActiveSpec,
  known: ActiveActiveRecord | undefined,
  participants: readonly Participant[],
): readonly Finding[] {
  const wanted = globalConfigurations?.shardCount ?? 1;
  const has = known === undefined ? wanted : countSlices(known);
  if (wanted !== has) return [otherSlices(wanted, has)];
  const stays = (name: string): boolean => known?.participants.some((one) => one.name === name) === true;
  const changed = participatingClusters.flatMap(({ name, shardCount = has }) =>
    known !== undefined && stays(name) && shardsOfSite(known, name) !== shardCount
      ? [otherShards(known, name, shardCount)]
      : [],
  );
  const older = has === 1 ? [] : participants.filter(({ name, knowsSlices }) => !stays(name) && !knowsSlices);
  return [...changed, ...older.map(({ name }) => olderParticipant(name))];
}

function otherSlices(wanted: number, has: number): Finding {
  return block(
    "ShardCountFixed",
    `spec.globalConfigurations.shardCount is ${wanted}, and the database was made with ${has}; it does not change`,
    `set it to ${has}, or make another Active-Active database and copy the data: ${editObject("reaadb")}`,
  );
}

function otherShards(known: ActiveActiveRecord, name: string, wanted: number): Finding {
  const has = shardsOfSite(known, name);
  const anew = [
    `storectl active-active remove-site ${known.name} ${name}`,
    `at "${name}", as soon as its object says NotParticipating (before, this deletes it at sites that do not know yet that it is out), ${deleteActiveActive(known.name)}`,
    `storectl active-active add-site ${known.name} ${name}/${wanted}`,
  ];
  return block(
    "ShardCountFixed",
    `participant "${name}" has ${has} shards, and ${wanted} are asked for; their number is chosen when a participant comes`,
    `set shardCount of "${name}" in spec.participatingClusters to ${has}; or take the participant out at another one, and put it in again with another number, so that it gets all data from the others: ${anew.join(", then ")}`,
  );
}

function olderParticipant(name: string): Finding {
  return block(
    "ParticipantKnowsNoShards",
    `participant "${name}" does not answer, or has nodes of a release before 0.6.0: there a database that several sites share has one shard`,
    `upgrade the cluster of "${name}", or leave shardCount out`,
  );
}
