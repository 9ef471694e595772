import type { CutOver } from "../../../mechanisms/migration/cut-over.ts";
import type { Migration } from "../../../mechanisms/migration/migration.ts";
import type { Asking } from "../console/context.ts";
import { migrationText } from "./report.ts";

/** How a migration is led. */
export interface Leading extends Pick<Asking, "print" | "clock"> {
  readonly signal: AbortSignal;
  /** Of both sides. */
  readonly databases: readonly number[];
  /** For so long writes of the source may wait. */
  readonly pauseMs: number;
  /** Resolves with what the user says to the cut-over, asked when all is compared. */
  readonly agree: () => Promise<boolean>;
}

/** Copies, follows and compares, and hands over once the user agrees; undefined when he does not. */
export async function leadIn(migration: Migration, leading: Leading): Promise<CutOver | undefined> {
  await beside(reportProgress(migration, leading), async () => {
    await migration.copied();
    await migration.compare(leading.databases);
    await migration.lookAtOpen();
  });
  leading.print(`${migrationText(await migration.progress())}\n`);
  const agreed = leading.agree();
  if (!(await beside(keepComparing(migration, leading), () => agreed))) return undefined;
  return migration.handOver(leading.pauseMs);
}

/** What goes on until it is told to end. */
type Beside = (over: AbortSignal) => Promise<void>;

/** Does `work`, and the other beside it until it is done; fails when one of them does. */
async function beside<T>(other: Beside, work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const running = other(over.signal);
  try {
    return await Promise.race([work(), running.then(() => new Promise<never>(() => undefined))]);
  } finally {
    over.abort();
    await running.catch(() => undefined); // what was wrong with it has ended the race
  }
}

function reportProgress(migration: Migration, { print, clock }: Leading): Beside {
  return async (over) => {
    for (let said = ""; !over.aborted;) {
      const text = migrationText(await migration.progress());
      if (text !== said && !over.aborted) print(`${text}\n`);
      said = text;
      await clock.sleep(REPORT_MS, over).catch(() => undefined); // over: the loop looks at it
    }
  };
}

/** So that few keys are left to compare when writes are paused. */
function keepComparing(migration: Migration, { clock }: Leading): Beside {
  return async (over) => {
    while (!over.aborted) {
      await migration.lookAtOpen();
      await clock.sleep(COMPARE_MS, over).catch(() => undefined); // over: the loop looks at it
    }
  };
}

const REPORT_MS = 1_000;
const COMPARE_MS = 200;
