import type { StoreEnterpriseDatabase } from "./kinds.ts";
import { AWAITS_DATA_ANNOTATION } from "./names.ts";

/** Whether a database may wait for its data still, as its object says: its cluster knows it. */
export function mayAwaitData({ metadata, status }: Pick<StoreEnterpriseDatabase, "metadata" | "status">): boolean {
  if (metadata?.annotations?.[AWAITS_DATA_ANNOTATION] === undefined) return false;
  return status?.status === undefined || !HAS_DATA.includes(status.status);
}

const HAS_DATA: readonly string[] = ["active", "active-change-pending"];
