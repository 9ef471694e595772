import type { DatabaseRecord } from "../../api/records.ts";
import { isBeingMade } from "../database/facts.ts";

/**
 * The record whose engine is about to begin without data that it had: clients of a site are not let in until it has what the other
 * sites hold. The record itself when it is no site, or is being made and had nothing.
 */
export function withGate(record: DatabaseRecord): DatabaseRecord {
  return record.activeActive === undefined || isBeingMade(record) ? record : { ...record, awaitsSites: true };
}

/**
 * The primary starts again and has nothing of what it had: it kept nothing on disk. In a recovery that lacks nothing this was
 * decided by its first start, or what a node had set aside is there.
 */
export function losesAll({ persistence, recovery }: Pick<DatabaseRecord, "persistence" | "recovery">): boolean {
  return persistence === "disabled" && recovery?.lacks !== "";
}
