import type { Clock } from "#kit/base/clock";
import type { SlotTable } from "../../../core/slots/slot-table.ts";
import type { Log } from "#kit/base/log";
import type { Credentials } from "../client/credentials.ts";
import type { SessionParts } from "../client/session-parts.ts";
import type { Counters } from "../limits/counters.ts";
import type { MemoryBudget } from "../limits/memory-budget.ts";
import type { ScanSources } from "../scan/sources.ts";
import type { PrimaryView } from "../upstream/primary-view.ts";
import type { ReceiverOutcome, ReceiverQuestion } from "./receiver.ts";
import type { RememberedScripts } from "../upstream/script-cache.ts";
import type { Routes } from "../upstream/only-route.ts";

/** The endpoint, as a pinned session needs it. */
export interface PinnedEndpoint {
  readonly clock: Clock;
  readonly log: Log;
  readonly routes: Routes<PrimaryView>;
  /** Undefined when the database has one shard. */
  readonly table: SlotTable | undefined;
  readonly credentials: Pick<Credentials, "turns">;
  /** Its clients see a cluster. */
  readonly isCluster: boolean;
  readonly counters: Pick<Counters, "pins" | "requests" | "noteCrossing" | "resent" | "answered" | "answeredLate">;
  readonly scripts: RememberedScripts;
  readonly scans: Routes<Pick<ScanSources, "route">>;
  /** Whether a client may have a further connection to the engine for itself. */
  readonly mayPin: boolean;
  /** Of the process. */
  readonly memory: MemoryBudget;
}

/** The parts of a session that its pinned connection uses. */
export interface PinnedParts extends SessionParts {
  readonly endpoint: PinnedEndpoint;
  readonly invalidations: {
    /** Finds the connection of an engine that takes those for another client; does not reject. */
    find(question: ReceiverQuestion): Promise<ReceiverOutcome>;
  };
}
