import type { Clock } from "../../../core/base/clock.ts";
import type { Log } from "../../../core/base/log.ts";
import type { Counters } from "../limits/limits.ts";
import type { ScanSources } from "../scan/sources.ts";
import type { ScriptCache } from "../upstream/script-cache.ts";
import type { Session } from "./session.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** An endpoint as its sessions see it. */
export interface SessionHost {
  readonly clock: Clock;
  readonly log: Log;
  readonly scripts: ScriptCache;
  readonly scans: ScanSources;
  readonly counters: Counters;
  readonly password: string;
  /** Whether a client may come in with this one. */
  accepts(password: Buffer): boolean;
  /** How long a client may wait for a primary, in milliseconds. */
  readonly holdMs: number;
  /** Requests are not taken from clients at the moment. */
  readonly held: boolean;
  /** There has been no primary for longer than `holdMs`: clients are told so. */
  readonly givenUp: boolean;
  readonly upstream: Upstream | undefined;
  /** Nothing of this session is outstanding at an engine. */
  settled(session: Session): void;
  ended(session: Session): void;
}
