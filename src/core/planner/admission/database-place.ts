import { MAX_DATABASE_BYTES, memoryBytes, MIN_DATABASE_BYTES } from "../../api/settings/memory.ts";
import { editObject, patchDatabase } from "../../api/kubectl.ts";
import { ADMISSION_SERVICE } from "../../api/names.ts";
import { clusterOfReviewed, type ReviewedDatabase } from "./reviewed-database.ts";
import { serviceNameObjections } from "./names.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  notFoundValue,
  requiredValue,
  type Objection,
} from "./objection.ts";
import { clusterNamed, existingText } from "./references.ts";
import { moduleItemsOf } from "./modules.ts";
import { instancesText } from "../license/instances-text.ts";
import { namedShards } from "../../slots/named-slots.ts";
import { memoryForShards, shardCountObjection, shardMemoryObjection, shardsForMemory } from "./shard-count.ts";

/** A Service is made from the name. */
export function nameIsUsable({ name }: ReviewedDatabase): readonly Objection[] {
  return serviceNameObjections(name, 63, "the name of the database's Service");
}

/** The Service must not take the place of another one; a name that was free is the database's own. */
export function serviceNameIsFree({
  kind,
  name,
  before,
  existing,
  references,
}: ReviewedDatabase): readonly Objection[] {
  if (before !== undefined || existing !== undefined) return [];
  const { clusters, databases, activeActives } = references;
  const taken: readonly (readonly [taken: boolean, by: string])[] = [
    [clusters.some((cluster) => cluster.name === name), "the cluster of that name has a Service of that name"],
    [name === ADMISSION_SERVICE, "the admission webhook has a Service of that name"],
    [kind === "redb" && activeActives.includes(name), "an Active-Active database has that name"],
    [kind === "reaadb" && databases.some((database) => database.name === name), "a database has that name"],
  ];
  return taken
    .filter(([isTaken]) => isTaken)
    .map(([, by]) => duplicateValue("metadata.name", name, by, "choose another name"));
}

/** No dangling reference, and none that is ambiguous; one that a cluster has made is in that cluster. */
export function clusterExists(reviewed: ReviewedDatabase): readonly Objection[] {
  const { at, spec, existing, references } = reviewed;
  const asked = spec.storeEnterpriseCluster?.name;
  if (existing?.cluster !== undefined || clusterOfReviewed(reviewed) !== undefined) return [];
  const field = `${at}.storeEnterpriseCluster.name`;
  const there = existingText(
    "clusters",
    references.clusters.map(({ name }) => name),
  );
  return asked === undefined
    ? [requiredValue(field, `it may be left out where one cluster is; ${there}`, "name one, or make it first")]
    : [notFoundValue(field, asked, there, "name one of them, or make it first")];
}

/** Databases do not move between clusters; a name that never was one's may be corrected. */
export function clusterIsUnchanged({ at, spec, before, existing, references }: ReviewedDatabase): readonly Objection[] {
  const has = existing?.cluster ?? clusterNamed(references, before?.storeEnterpriseCluster?.name ?? "")?.name;
  const only = clusterNamed(references, has ?? "") === undefined ? clusterNamed(references, undefined)?.name : has;
  const asked = spec.storeEnterpriseCluster?.name ?? only ?? has;
  if (has === undefined || asked === has) return [];
  const why = `it is "${asked}" and the database is in "${has}"; a database does not move between clusters`;
  return [forbiddenValue(`${at}.storeEnterpriseCluster.name`, why, `set it to "${has}", or make another database`)];
}

/** Between 100MB and 4 TiB, and each shard needs room for more than its engine. */
export function memoryIsInRange(reviewed: ReviewedDatabase): readonly Objection[] {
  const { kind, name, at, spec, existing } = reviewed;
  const bytes = memoryBytes(spec.memorySize) ?? 0;
  const field = `${at}.memorySize`;
  if (bytes < MIN_DATABASE_BYTES || bytes > MAX_DATABASE_BYTES) {
    const why = "a database has at least 100MB and at most 4096Gi";
    return [invalidValue(field, spec.memorySize, why, 'write for instance "100MB", "0.5GB" or "1Gi"')];
  }
  const count = mostShards(reviewed);
  const why = shardMemoryObjection({ count, memoryBytes: bytes });
  if (why === undefined) return [];
  const memorySize = `${memoryForShards(count) / 1_000_000}MB`;
  const remedy = `set ${field} to ${memorySize} or more, or ${at}.shardCount to ${shardsForMemory(bytes)} or fewer`;
  const isThere = kind === "redb" && existing !== undefined;
  const both = isThere ? `: ${patchDatabase(name, { shardCount: count, memorySize })}` : "";
  return [invalidValue(field, spec.memorySize, why, `${remedy}${both}`)];
}

/** How many shards there can be, and that their number stays. */
export function shardCountIsPossible({ kind, at, spec, before, existing }: ReviewedDatabase): readonly Objection[] {
  const count = shardsOf(spec, existing);
  const isSite = kind === "reaadb";
  const has = isSite ? before?.shardCount : existing?.shards;
  const modules = moduleItemsOf(spec).map(({ name }) => name);
  const why = shardCountObjection({ count, has, slices: isSite ? count : undefined, modules });
  if (why === undefined) return [];
  const remedy = `set ${at}.shardCount to ${has ?? 1}${(has ?? 1) === 1 ? ", or leave it out" : ""}`;
  return [invalidValue(`${at}.shardCount`, count, why, remedy)];
}

/** Each slot has one shard, and there are as many shards as are asked for. */
export function shardSlotsFit({ kind, name, at, spec, existing }: ReviewedDatabase): readonly Objection[] {
  const { shardSlots, shardCount } = spec;
  if (shardSlots === undefined) return [];
  const field = `${at}.shardSlots`;
  const even = kind === "redb" && existing !== undefined ? `: ${patchDatabase(name, { shardSlots: null })}` : "";
  const named = namedShards(shardSlots);
  if ("why" in named) {
    const example = 'name each slot from 0 to 16383 once, one text for each shard, for instance ["0-865", "866-16383"]';
    return [invalidValue(field, shardSlots, named.why, `${example}; or leave it out${even}`)];
  }
  if (shardCount === undefined || shardCount === shardSlots.length) return [];
  const why = `it has ${shardSlots.length} entries, and ${at}.shardCount is ${shardCount}`;
  const remedy = `set ${at}.shardCount to ${shardSlots.length}; or leave ${field} out, for shards with even slots${even}`;
  return [invalidValue(field, shardSlots, why, remedy)];
}

/** Replies that wait for replicas need replicas. */
export function repliesCanWait({ at, spec }: ReviewedDatabase): readonly Objection[] {
  if (spec.durability !== "sync" || spec.replication) return [];
  const why = "replies wait for replicas, and the database has none without replication";
  const remedy = `set ${at}.replication to true, or ${at}.durability to async`;
  return [invalidValue(`${at}.durability`, spec.durability, why, remedy)];
}

/** The port is chosen once. */
export function portIsUnchanged({ at, spec, existing }: ReviewedDatabase): readonly Objection[] {
  const has = existing?.port;
  if (has === undefined || spec.databasePort === undefined || spec.databasePort === has) return [];
  const why = `it is ${spec.databasePort} and the database is at ${has}; a port cannot change`;
  return [forbiddenValue(`${at}.databasePort`, why, `set it to ${has}, or leave it out`)];
}

/** Within a cluster each database has a port of its own. */
export function portIsFree(reviewed: ReviewedDatabase): readonly Objection[] {
  const { name, at, spec, existing, references } = reviewed;
  const port = spec.databasePort;
  if (port === undefined || existing?.port === port) return [];
  const own = clusterOfReviewed(reviewed)?.name;
  const holder = references.databases.find(
    (other) => other.name !== name && other.port === port && clusterNamed(references, other.cluster)?.name === own,
  );
  if (holder === undefined) return [];
  const why = `the database "${holder.name}" has it`;
  return [
    duplicateValue(`${at}.databasePort`, port, why, "leave it out, or choose another one between 10000 and 19999"),
  ];
}

/** The licence allows so many shards, primaries and replicas together; what exists is not asked again. */
export function licenseSuffices(reviewed: ReviewedDatabase): readonly Objection[] {
  const { at, spec, before, existing } = reviewed;
  const cluster = clusterOfReviewed(reviewed);
  if (cluster?.shards === undefined) return [];
  const { name, shards } = cluster;
  const [had, has] = [
    existing === undefined ? instancesOf(0, spec) : instancesOf(shardsOf(before ?? spec, existing), before ?? spec),
    instancesOf(mostShards(reviewed), spec),
  ];
  const more = has.primaries + has.replicas - had.primaries - had.replicas;
  if (more <= 0 || shards.used + more <= shards.limit) return [];
  const added = instancesText(has.primaries - had.primaries, has.replicas - had.replicas);
  const why = `it needs ${more} more (${added}), and the licence allows ${shards.limit} shards of which ${shards.used} are in use`;
  const isOfReplicas = spec.replication && (has.primaries === 1 || has.primaries === had.primaries);
  const field = isOfReplicas ? `${at}.replication` : `${at}.shardCount`;
  const remedy = `delete a database, or name a larger licence in spec.licenseSecretName: ${editObject(`rec ${name}`)}`;
  return [forbiddenValue(field, why, remedy, "LicenseLimit")];
}

function instancesOf(primaries: number, { replication }: Pick<ReviewedDatabase["spec"], "replication">) {
  return { primaries, replicas: replication ? primaries : 0 };
}

/** The higher of the numbers of shards that a new database has one after the other. */
function mostShards({ spec, existing, firstSlots = [] }: ReviewedDatabase): number {
  const asked = shardsOf(spec, existing);
  return existing === undefined ? Math.max(asked, firstSlots.length) : asked;
}

/** A spec that says nothing of it leaves a database the shards that it has. */
function shardsOf(
  { shardCount, shardSlots }: Pick<ReviewedDatabase["spec"], "shardCount" | "shardSlots">,
  existing: ReviewedDatabase["existing"],
): number {
  return shardCount ?? shardSlots?.length ?? existing?.shards ?? 1;
}
