import type { Records } from "../../records/records.ts";
import { refusals, refuse } from "../http/refusals.ts";

/** What changes of clients use of the records. */
type WrittenRecords = Pick<Records, "changeState" | "changeDatabase" | "createDatabase">;

/**
 * So long a record may become by what clients ask for, in bytes. Kubernetes stores up to a mebibyte: the rest is kept for what
 * the cluster itself has to write down.
 */
const MOST_BYTES = 700 * 1024;

/** The records for the changes of clients: one that makes a record longer than the limit is refused, one that makes it shorter never. */
export function withinLimit<Kept extends WrittenRecords>(records: Kept): Kept {
  return {
    ...records,
    changeState: (change) =>
      records.changeState((state) => requireRoom("the record of the cluster", state, change(state))),
    changeDatabase: (uid, change) =>
      records.changeDatabase(uid, (record) => requireRoom(`the record of database ${uid}`, record, change(record))),
    createDatabase: (record) =>
      records.createDatabase(requireRoom(`the record of database "${record.name}"`, undefined, record)),
  };
}

function requireRoom<Content extends object>(what: string, before: Content | undefined, after: Content): Content {
  const size = bytesOf(after);
  if (size <= MOST_BYTES || (before !== undefined && size <= bytesOf(before))) return after;
  throw refuse(refusals.recordFull, `${what} would have ${size} bytes, and ${MOST_BYTES} are allowed`);
}

function bytesOf(record: object): number {
  return Buffer.byteLength(JSON.stringify(record));
}
