import { THROW_AWAY_BDB } from "../../api/throw-away.ts";
import { everyShard } from "../../api/every-shard.ts";
import type { DatabaseRecord, DeletedDatabase } from "../../api/records.ts";

/** What the disk of a node holds of one instance. */
export interface KeptInstance {
  readonly bdb: number;
  readonly instance: number;
  /** `createdTime` of the database that it belongs to; undefined where an agent of release 0.3.0 or older wrote it. */
  readonly created: string | undefined;
}

/** What the records say of databases. */
export interface WrittenDown {
  readonly databases: readonly DatabaseRecord[];
  /** The last databases that were deleted. */
  readonly deleted: readonly DeletedDatabase[];
  /** False for a database whose record exists and could never be read. */
  isReadable(bdb: number): boolean;
}

/** What becomes of data; "leave": it stays as it is, whatever it is. */
export type DataFate = "remove" | "set-aside" | "leave";

/**
 * What becomes of data that no record asks the node to use. Only a decision that is written down removes data: the deletion of
 * this very database, or a plan that took the instance out of the record. Whatever else is missing, the data is set aside: a
 * record may be gone by accident, or be an older one that was restored.
 */
export function fateOfData(kept: KeptInstance, { databases, deleted, isReadable }: WrittenDown): DataFate {
  if (kept.bdb === THROW_AWAY_BDB || !isReadable(kept.bdb)) return "leave";
  const record = databases.find(({ uid }) => uid === kept.bdb);
  if (record === undefined) return deleted.some((one) => isOf(kept, one)) ? "remove" : "set-aside";
  if (!isOf(kept, { uid: record.uid, createdTime: record.createdTime })) {
    return deleted.some((one) => kept.created !== undefined && isOf(kept, one)) ? "remove" : "set-aside";
  }
  if (record.status === "delete-pending") return "remove";
  const isNamed = everyShard(record).some(({ instances }) => instances.some(({ id }) => id === kept.instance));
  // ids only rise: below its next id, the record gave up an instance that it does not name; a higher id it never had
  return !isNamed && kept.instance < record.nextInstance ? "remove" : "set-aside";
}

function isOf(
  { bdb, created }: KeptInstance,
  { uid, createdTime }: Pick<DeletedDatabase, "uid" | "createdTime">,
): boolean {
  return bdb === uid && (created === undefined || created === createdTime);
}
