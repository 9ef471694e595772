import type { StoreEnterpriseDatabase } from "./kinds.ts";
import { AWAITS_DATA_ANNOTATION, AWAITS_SLOTS_ANNOTATION } from "./names.ts";

/** Whether a database may wait for its data still, as its object says: its cluster knows it. */
export function mayAwaitData({ metadata, status }: Pick<StoreEnterpriseDatabase, "metadata" | "status">): boolean {
  if (metadata?.annotations?.[AWAITS_DATA_ANNOTATION] === undefined) return false;
  return status?.status === undefined || !HAS_DATA.includes(status.status);
}

/** The annotations of a database that is made for the data of a restore; `slots`: of its first shards, where the spec asks for others. */
export function awaitsDataMarks(restore: string, slots: readonly string[] | undefined): Record<string, string> {
  const first = slots === undefined ? {} : { [AWAITS_SLOTS_ANNOTATION]: slots.join(BETWEEN_SHARDS) };
  return { [AWAITS_DATA_ANNOTATION]: restore, ...first };
}

/** The slots of each shard with which a database is made that waits for its data; undefined: those of its spec. */
export function firstSlots(annotations: Readonly<Record<string, string>> = {}): readonly string[] | undefined {
  const { [AWAITS_DATA_ANNOTATION]: restore, [AWAITS_SLOTS_ANNOTATION]: slots } = annotations;
  return restore === undefined || slots === undefined ? undefined : slots.split(BETWEEN_SHARDS);
}

const HAS_DATA: readonly string[] = ["active", "active-change-pending"];
/** Ranges of one shard have commas between them. */
const BETWEEN_SHARDS = ";";
