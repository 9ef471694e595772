import { assertNever } from "#kit/base/assert-never";
import { Fault } from "#kit/base/fault";
import type { DatabaseRecord } from "../../../core/api/records.ts";
import { tableOutcome } from "../../../core/planner/database/table-outcome.ts";
import { isServed, serveTable, tableMoveBegun, type TableMove } from "../../../core/records/reshape-record.ts";
import { faults } from "../faults.ts";
import { takeBackTable, type TableInDoubt } from "./table-back.ts";
import type { TablePorts } from "./table-ports.ts";
import { releaseTable, retireUntil } from "./table-release.ts";
import { lookAtTable } from "./table-sight.ts";

/**
 * Ends a switch to other shards whose leader has not: by what the engines show it serves, or is taken back. Idempotent. AGENT_MOVE_NOT_DONE while an engine does not
 * answer that may be alive and knows. Resolves with what is stored then.
 */
export async function resolveTable(doubt: TableInDoubt, ports: TablePorts): Promise<DatabaseRecord> {
  const { record, isDead } = doubt;
  const move = tableMoveBegun(record);
  if (move === undefined) return takeBackTable(doubt, ports);
  const sight = await lookAtTable(record, isDead, ports);
  const outcome = tableOutcome(sight);
  switch (outcome.kind) {
    case "serve":
      return finishTable(record, move, ports);
    case "take-back":
      return takeBackTable({ ...doubt, loss: outcome.loss }, ports);
    case "wait":
      throw new Fault(
        faults.moveNotDone,
        "a switch to other shards has begun, and an engine that may be alive does not answer whether clients use them",
        { bdb: record.uid, ...sight },
      );
    default:
      return assertNever(outcome);
  }
}

/** Clients may be at the shards to be: they serve. The record first, since it says who may still take the switch back. */
async function finishTable({ uid: bdb }: DatabaseRecord, move: TableMove, ports: TablePorts): Promise<DatabaseRecord> {
  const stored = await ports.change((latest) => serveTable(latest, move, retireUntil(ports)) ?? latest);
  if (!isServed(stored, move)) return stored;
  await releaseTable(stored, ports);
  ports.log.info("other shards serve, as the engines show", { bdb, shards: stored.shards.map(({ id }) => id) });
  return stored;
}
