import type { Clock } from "#kit/base/clock";
import { Fault } from "#kit/base/fault";
import type { Log } from "#kit/base/log";
import { siteOf } from "../../../core/merge/operations/origin.ts";
import {
  NOTHING,
  includingAll,
  pairsOf,
  seqOf,
  union,
  type VersionVector,
} from "../../../core/merge/operations/version-vector.ts";
import type { EngineSite } from "../../../mechanisms/site/engine-site.ts";
import { faults } from "../faults.ts";
import type { LinkConnection } from "./connection.ts";
import { encodeFrame, encodeFrames } from "./frames.ts";
import { encodeStatement } from "./messages.ts";

export interface SenderOptions {
  readonly connection: LinkConnection;
  readonly local: EngineSite;
  /** How the other site numbers its operations now, and what it said to have received. */
  readonly remote: { readonly origin: number; readonly received: VersionVector };
  readonly clock: Clock;
  readonly log: Log;
}

/** A site that has something to say says it this often, in milliseconds, and after the longer time in any case. */
const STATE_MS = 100;
const BEAT_MS = 1_000;
/** Operations that are looked for at once. */
const BATCH = 256;

/** Sends what the other site lacks, and what the own one has received. */
export class Sender {
  readonly #options: SenderOptions;
  /** What the other end had when it greeted, or is being sent. */
  #sent: VersionVector;
  /** As it said last: no earlier statement is kept, which may have had other origins. */
  #theirs: VersionVector;
  /** What was received a beat ago: the part of it that the other end still lacks is passed on. */
  #older = NOTHING;
  #olderAt: number;
  /** Origins, none of them an own one, of which the other end lacks what it could have. */
  readonly #late = new Set<number>();
  #saidAt = -Infinity;
  #said = NOTHING;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#sent = options.remote.received;
    this.#theirs = options.remote.received;
    this.#olderAt = options.clock.uptimeMs();
  }

  stated(received: VersionVector): void {
    this.#theirs = received;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { local, clock } = this.#options;
    while (!signal.aborted) {
      const changed = local.changed();
      const sent = await this.#sendOperations();
      await this.#sendStatement();
      if (sent > 0) continue;
      // aborted: the loop looks at the signal
      await Promise.race([changed, clock.sleep(STATE_MS, signal).catch(() => undefined)]);
    }
  }

  async #sendOperations(): Promise<number> {
    const { local } = this.#options;
    this.#passOn();
    const beyond = this.#beyond();
    if (!local.kept.reachesBack(beyond)) return this.#sendSummary();
    const operations = local.kept.after(beyond, BATCH);
    if (operations.length === 0) return 0;
    this.#sent = includingAll(
      this.#sent,
      operations.map(({ dot }) => dot),
    );
    const bodies = operations.map(({ bytes }) => bytes);
    await this.#options.connection.send(encodeFrames("operation", bodies));
    return operations.length;
  }

  /** The other end lacks operations that are no longer kept. */
  async #sendSummary(): Promise<number> {
    const { local, remote, connection, log } = this.#options;
    const received = union(remote.received, this.#theirs);
    if (!local.suffices(received)) throw new Fault(faults.notKept, "The other site lacks what is no longer kept.");
    log.info("another site lacks more than is kept, and gets a summary", { site: siteOf(remote.origin) });
    let parts = 0;
    for await (const { body, received: complete } of local.summaryFor(received)) {
      await connection.send(encodeFrame("summary", body));
      if (connection.isClosed) break;
      this.#sent = union(this.#sent, complete);
      parts += 1;
    }
    return parts;
  }

  /**
   * The operations that are not to be sent: each site sends its own, and those of others only once the other end has gone without them for a
   * beat.
   */
  #beyond(): VersionVector {
    const { local } = this.#options;
    const isLeft = (origin: number): boolean => siteOf(origin) !== local.id && !this.#late.has(origin);
    const left = pairsOf(local.numbered).filter(([origin]) => isLeft(origin));
    return includingAll(
      union(this.#sent, this.#theirs),
      left.map(([origin]) => ({ origin, seq: Infinity })),
    );
  }

  #passOn(): void {
    const { clock, local, remote } = this.#options;
    const now = clock.uptimeMs();
    if (now - this.#olderAt < BEAT_MS) return;
    this.#late.clear();
    // it may have lost what it had written before
    for (const [origin, seq] of pairsOf(this.#older))
      if (origin !== remote.origin && seqOf(this.#theirs, origin) < seq) this.#late.add(origin);
    this.#older = local.stated();
    this.#olderAt = now;
  }

  async #sendStatement(): Promise<void> {
    const { local, clock } = this.#options;
    const [now, received] = [clock.uptimeMs(), local.stated()];
    const isNew = received !== this.#said;
    if (now - this.#saidAt < (isNew ? STATE_MS : BEAT_MS)) return;
    this.#said = received;
    this.#saidAt = now;
    const statement = { received, site: local.statement(), ...(local.isWhole ? {} : { incomplete: true }) };
    await this.#options.connection.send(encodeStatement(statement));
  }
}
