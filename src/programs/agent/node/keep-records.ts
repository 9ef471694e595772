import { SET_ASIDE_RETENTION_DAYS } from "../../../core/api/cluster-spec.ts";
import type { DatabaseRecord, DeletedDatabase } from "../../../core/api/records.ts";
import type { KeptRecord } from "../../../core/planner/node/missing-record.ts";
import type { Clock } from "#kit/base/clock";
import type { Log } from "#kit/base/log";
import type { Records } from "../records/records.ts";
import { runPasses } from "../runtime/pass-runner.ts";

const DAY_MS = 86_400_000;

/** What keeping the records works on. */
export interface KeepRecordsContext {
  readonly records: Pick<Records, "state" | "database" | "databases" | "versionOf" | "isReadable" | "onChange">;
  readonly changes: { readonly subscribe: (listener: () => void) => void; readonly notify: () => void };
  readonly clock: Clock;
  readonly log: Log;
}

/** What is known of the databases of the cluster. */
export interface RecordsNow {
  readonly databases: readonly Pick<DatabaseRecord, "uid">[];
  /** The last databases that were deleted. */
  readonly deleted: readonly DeletedDatabase[];
  /** False for a database whose record exists and could never be read. */
  isReadable(bdb: number): boolean;
  readonly now: Date;
  /** For so long a record is kept after it has vanished. */
  readonly retentionMs: number;
}

/** The files of the kept records. */
interface Keeper {
  note(record: DatabaseRecord | undefined, version: string | undefined): void;
  keep(records: RecordsNow): Promise<void>;
  missing(): readonly KeptRecord[];
}

/** Keeps the records of databases on the volume of this node, until `signal` aborts; says at once when one is missing, or is back. */
export async function keepRecords(keeper: Keeper, context: KeepRecordsContext, signal: AbortSignal): Promise<void> {
  const { changes, records } = context;
  const note = (uid: number): void => keeper.note(records.database(uid), records.versionOf(uid));
  // at once: what changes right before it vanishes is kept too
  records.onChange((database) => void (database !== undefined && note(database)));
  for (const { uid } of records.databases()) note(uid);
  const keeping = runPasses(
    "kept records",
    async () => {
      const before = JSON.stringify(keeper.missing());
      await keepNow(keeper, context);
      if (JSON.stringify(keeper.missing()) !== before) changes.notify();
    },
    { ...context, signal },
  );
  changes.subscribe(() => keeping.request());
  keeping.request();
  await keeping.stopped;
}

/** Without the record of the cluster it is not known what was deleted. */
async function keepNow(keeper: Keeper, { records, clock }: KeepRecordsContext): Promise<void> {
  const state = records.state();
  if (state === undefined) return;
  await keeper.keep({
    databases: records.databases(),
    deleted: state.deleted ?? [],
    isReadable: (bdb) => records.isReadable(bdb),
    now: clock.now(),
    retentionMs: (state.setAsideRetentionDays ?? SET_ASIDE_RETENTION_DAYS) * DAY_MS,
  });
}
