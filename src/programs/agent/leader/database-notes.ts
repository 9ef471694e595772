import { FailedSteps } from "./failed-steps.ts";
import type { LastSeenPrimary } from "./shard-operations.ts";
import { VerifiedReplicas } from "./verified.ts";

/** What a leader keeps of one database between its passes. */
export interface DatabaseNote {
  /** By shard. */
  readonly lastSeen: Map<number, LastSeenPrimary>;
  /** When why it waits was last written; undefined before that. */
  reasonAt: number | undefined;
  /** The shards whose step did not succeed in the last passes; undefined when each did. */
  failed: ReadonlySet<number> | undefined;
  readonly failedSteps: FailedSteps;
}

/** What a leader keeps of databases between its passes: one entry each, so that all of it goes when the database does. */
export class DatabaseNotes {
  readonly verified = new VerifiedReplicas();
  readonly #notes = new Map<number, DatabaseNote>();

  of(database: number): DatabaseNote {
    const known = this.#notes.get(database);
    if (known !== undefined) return known;
    const failedSteps = new FailedSteps();
    const note: DatabaseNote = { lastSeen: new Map(), reasonAt: undefined, failed: undefined, failedSteps };
    this.#notes.set(database, note);
    return note;
  }

  forget(database: number): void {
    this.#notes.delete(database);
    this.verified.forget(database);
  }

  /** The databases of which anything is kept. */
  get databases(): readonly number[] {
    return [...this.#notes.keys()];
  }
}
