import type { Apply } from "../../core/merge/saved/pending-applies.ts";
import type { CodedOperation } from "../../core/merge/operations/operation-codec.ts";
import type { Effect } from "../../core/merge/operations/operation.ts";
import type { SiteStatement } from "../../core/merge/summary/statement.ts";
import { encodeSaved, type LoggedEntry } from "../../core/merge/saved/saved-site.ts";
import type { Site } from "../../core/merge/site.ts";
import type { SummaryPart } from "../../core/merge/summary/summary.ts";
import { seqOf, type VersionVector } from "../../core/merge/operations/version-vector.ts";
import { beginSite, type BegunSite, type EngineSiteOptions } from "./begin-site.ts";
import { Agreement } from "./state/agreement.ts";
import { Capture } from "./operations/capture.ts";
import { Completion } from "./completion.ts";
import { EngineWriter } from "./operations/engine-writer.ts";
import { giveAll } from "./transfer/give-all.ts";
import { givenKeys, type GivenKeys } from "./state/give-keys.ts";
import { giveSummary, type GivenSummaryPart } from "./summary/give-summary.ts";
import { Locks } from "./operations/locks.ts";
import { SiteProgress } from "./summary/progress.ts";
import { dueText, type Place } from "./saved/place.ts";
import { runSite } from "./run-site.ts";
import { openingMachine } from "./opening-states.ts";
import { SiteWaits } from "./site-waits.ts";
import { readAt } from "./saved/transaction.ts";
import type { Transfer } from "./transfer/transfer.ts";
import { Wakeup } from "./operations/wakeup.ts";

/** How often a site says what it has seen, in milliseconds. */
const BEAT_MS = 100;
const LIVE = "live:";
/**
 * One site of an Active-Active database at its primary: captures what the engine does, and applies what other sites did.
 *
 *     clients ──► engine ──► its own stream ──► Capture ──┬─ effects ──► #captured ──► Site, log ──► other sites
 *                   ▲                                     └─ marks ────► #marked ──► Site.applied       │
 *                   │                                                        │                          │
 *                   │                                        repairs of keys │                          │
 *                   └────── EngineWriter ◄──── commands with a mark ◄────────┴───── Site.receive ◄──────┘
 *
 * What the writer does comes back in the engine's stream, with its mark behind it. Only there an operation of another site counts as
 * applied: what a client did between, the stream shows before the mark, and then the site writes the key again as both operations want it.
 * How far it is on its way until it takes what others send is a state machine (`opening-states.ts`).
 */
export class EngineSite {
  /** Number of the site. */
  readonly id: number;
  readonly #options: EngineSiteOptions;
  readonly #begin: BegunSite;
  /** Whether it holds what others hold. */
  readonly agreement: Agreement;
  /** How far it is. */
  readonly progress: SiteProgress;
  readonly #site: Site;
  readonly #writer: EngineWriter;
  readonly #capture: Capture;
  readonly #changed = new Wakeup();
  readonly #written = new Wakeup();
  readonly #completion: Completion;
  readonly #live = Promise.withResolvers<void>();
  readonly #accepting = Promise.withResolvers<void>();
  readonly #locks = new Locks();
  readonly #waits: SiteWaits;
  readonly #machine = openingMachine();
  /** How far the stream is captured with all that was logged, and what had to be written again there. */
  #captureReached: ReturnType<Capture["reachedWith"]>;

  private constructor(options: EngineSiteOptions, begin: BegunSite) {
    const { client, site, from, life, saved, beside } = begin;
    [this.id, this.#options, this.#begin, this.#site] = [options.id, options, begin, site];
    this.#captureReached = { ...from, due: site.due };
    this.progress = new SiteProgress(site.received);
    this.#capture = this.#openCapture();
    this.#writer = new EngineWriter({
      ...options,
      client,
      beside,
      name: life,
      over: site.keys.over,
      saved,
      placed: from.number,
      place: () => this.#place(),
      save: () => this.#save(),
      onWritten: (entries) => this.#onWritten(entries),
      spread: (key) => void this.#capture.read(key),
      rewrite: (key) => this.#rewrite(key),
    });
    const parts = { capture: this.#capture, writer: this.#writer, holds: this.#locks };
    this.#completion = new Completion({ ...options, begin, ...parts, onEffects: (effects) => this.#captured(effects) });
    this.agreement = new Agreement({ ...options, ...parts, ...begin, finder: this.#completion.finder });
    const isComplete = (): boolean => this.#completion.announced.announced;
    const differs = (other: number): boolean => this.agreement.differing.has(other);
    this.#waits = new SiteWaits({ ...options, client, site, isComplete, differs, capture: this.#capture });
  }

  #openCapture(): Capture {
    const { client, site, from, life, beside } = this.#begin;
    const { clock, signal, slice } = this.#options;
    return new Capture({
      slice,
      client,
      beside,
      clock,
      signal,
      from,
      name: life,
      expiring: site.keys,
      repaired: site.keys.repaired,
      onEffects: (effects, read) => this.#took(effects, read),
      onRead: (...read) => this.#read(...read),
      onAnchored: () => this.#captured([]),
      onMark: (mark) => this.#marked(mark),
    });
  }

  /**
   * Connects, and goes on where the link that was here last has saved that it was; `ended` settles when the engine ends a
   * connection, or the signal comes.
   */
  static async start(
    options: EngineSiteOptions,
  ): Promise<{ readonly local: EngineSite; readonly ended: Promise<void> }> {
    const begun = await beginSite(options);
    const local = new EngineSite(options, begun.begin);
    return { local, ended: local.#run(begun) };
  }

  /** Takes an operation that the site of `from` sends. Resolves when there is room for more; false: it has to come again, see `Site.receive`. */
  received(operation: CodedOperation, from: number): Promise<boolean> {
    return this.#accept(() => this.#site.receive(operation, from), operation);
  }

  /** Takes a summary that the site of `from` sends, all parts of it. Resolves when there is room for more. */
  async receivedSummary(parts: readonly SummaryPart[], from: number): Promise<void> {
    await this.#accept(() => this.#site.receiveSummary(parts, from));
  }

  /** A summary for a site that has only `received`, and lacks operations which are no longer kept. */
  summaryFor(received: VersionVector): AsyncGenerator<GivenSummaryPart> {
    return giveSummary(this.#site, received, (seq) => this.#reach(seq));
  }

  /** False when a site that has only `received` can go on neither with operations nor with a summary. */
  suffices(received: VersionVector): boolean {
    return this.#site.kept.reachesBack(received) || this.#site.canSummarizeFor(received);
  }

  /** All that is here, for a site that has nothing and has `origin` from now on; rejects when this site ends. */
  async give(origin: number): Promise<Transfer> {
    await this.#accepting.promise;
    this.#site.participants.begins(origin);
    const confirmed = (seq: number): Promise<void> => this.#reach(seq);
    return giveAll({
      ...this.#begin,
      slice: this.#options.slice,
      capture: this.#capture,
      holds: this.#locks,
      confirmed,
    });
  }

  /** Another site can be compared with this one, or get all from it. */
  get isWhole(): boolean {
    return this.#completion.isWhole;
  }

  /** The keys of this site, by their names. */
  keys(): GivenKeys {
    return givenKeys(this.#completion.finder, this.#accepting.promise, this.agreement.walk);
  }

  /** What need not be sent here, and who has begun to number operations. */
  get numbered(): VersionVector {
    return this.#site.participants.numbered(this.#site.received);
  }

  /** What other sites may lack. */
  get kept(): Site["kept"] {
    return this.#site.kept;
  }

  /** All sites, with what each has said. */
  get participants(): Site["participants"] {
    return this.#site.participants;
  }

  /** The origin under which the site numbers its operations. */
  get origin(): number {
    return this.#begin.from.origin;
  }

  /** What may be said to be received: it lasts as long as the data does. */
  stated(): VersionVector {
    return this.progress.stated;
  }

  /** Notes what the site of `origin` has said to have received. */
  peerStated(origin: number, received: VersionVector): void {
    this.#site.peerReceived(origin, received);
    this.#waits.look();
  }

  /** What others have to know so that sites can come and go. */
  statement(): SiteStatement {
    return { ...this.#site.statement(), durable: this.progress.durable };
  }

  /** Resolves when there may be something new to send. */
  changed(): Promise<void> {
    return this.#changed.next();
  }

  /** What the other sites hold is here, and they wait for what this one writes. */
  get hasJoined(): boolean {
    return this.#machine.state === "open" && this.#site.isAwaited;
  }

  /** Keys of which more is known than what all sites agree on. */
  get knownKeys(): number {
    return this.#site.keys.count;
  }

  /** Whether the engine takes what is written for other sites. */
  get writes(): Pick<EngineWriter, "refusal" | "refusedWrites"> {
    return this.#writer;
  }

  #run(begun: Awaited<ReturnType<typeof beginSite>>): Promise<void> {
    this.#options.signal.addEventListener("abort", () => this.#wakeAll(), { once: true });
    const parts = { capture: this.#capture, writer: this.#writer, progress: this.progress, written: this.#written };
    const onConfirmed = (reached: VersionVector): void => this.#confirmed(reached);
    const catchUp = (): Promise<void> => this.#catchUp();
    return runSite({ ...parts, options: this.#options, onConfirmed, catchUp }, begun);
  }

  #wakeAll(): void {
    for (const loop of [this.#written, this.#changed]) loop.wake();
    this.#writer.end();
    this.#live.resolve();
    this.#accepting.resolve();
  }

  async #accept(take: () => readonly Apply[] | undefined, operation?: CodedOperation): Promise<boolean> {
    await this.#accepting.promise;
    if (operation !== undefined) await this.#capture.readAll(this.#site.keys.keptAlive(operation));
    await this.#locks.over();
    const applies = take();
    if (applies !== undefined) await this.#writer.apply(applies);
    return applies !== undefined;
  }

  async #reach(seq: number): Promise<void> {
    while (seqOf(this.stated(), this.origin) < seq) {
      this.#options.signal.throwIfAborted();
      await this.#changed.next();
    }
  }

  /** Waits for a mark behind all that an earlier link left in the stream. */
  async #catchUp(): Promise<void> {
    const { client, life, isAnew } = this.#begin;
    // a link that begins here awaits the marks of what has not been said to be applied, and the stream has them no more
    if (isAnew) this.#captured([]);
    else this.#writer.logPlace();
    await readAt({ ...this.#options, client }, `${LIVE}${life}`, []);
    await this.#live.promise;
    this.#machine.apply("catch-up");
    const complete = await this.#completion.begin();
    this.#machine.apply("complete");
    this.#accepting.resolve();
    await this.#begin.regaining.whenNewIsCaptured(this.#capture);
    await this.#writer.apply(this.#begin.regaining.lost());
    await Promise.all([this.#beat(), complete(), this.agreement.walk.run()]);
  }

  /** Says what this site has seen, and forgets what all have. */
  async #beat(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      if (this.#site.hasUnsaid) this.#captured([]);
      if (!this.#completion.isComparing) this.#site.forgetAgreed();
      this.#waits.look();
      await clock.sleep(BEAT_MS, signal).catch(() => undefined); // aborted: the loop looks at the signal
    }
  }

  /** What others have of it already keeps its number. */
  #took(effects: readonly Effect[], read: readonly string[]): void {
    const known = this.#begin.regaining.take(effects, read, this.#capture.passed);
    if (known === undefined) return this.#captured(effects);
    for (const operation of known) this.#writer.log(operation);
    this.#captureReached = this.#capture.reachedWith(this.#site.due);
  }

  #read(...read: Parameters<BegunSite["regaining"]["newIn"]>): boolean {
    const found = this.#begin.regaining.newIn(...read);
    if (found !== undefined) this.#captured(found);
    return found !== undefined;
  }

  /** The place that is saved is that of the last own operation: by what that one had seen, marks are awaited after a restart. */
  #captured(effects: readonly Effect[]): void {
    this.#writer.log(this.#site.captured(effects, this.#options.clock.now().getTime()));
    this.#captureReached = this.#capture.reachedWith(this.#site.due);
    this.#waits.look();
  }

  async #marked(marks: string): Promise<void> {
    if (this.#waits.take(marks) || this.#writer.over.take(marks)) return;
    if (marks === `${LIVE}${this.#begin.life}`) this.#live.resolve();
    this.#writer.over.add(this.#site.keys.over.overBy(marks));
    const repairs = marks.split(" ").flatMap((mark) => this.#site.applied(mark));
    await this.#writer.apply(repairs);
  }

  #rewrite(key: string): void {
    const repair = this.#site.repair(key, "all");
    this.#capture.askBeforeRepairs();
    void this.#writer.apply([repair]);
  }

  #place(): Omit<Place, "number"> {
    const { origin, isFirst, transferred } = this.#begin.from;
    const engine = this.#begin.regaining.isUnderWay ? "" : this.#begin.from.engine;
    const due = dueText(this.#captureReached.due);
    return { ...this.#captureReached, ...this.#completion.announced, origin, engine, isFirst, transferred, due };
  }

  #save(): Uint8Array {
    this.#captureReached = this.#capture.reachedWith(this.#site.due);
    return encodeSaved(this.#site.save());
  }

  #onWritten(entries: readonly LoggedEntry[]): void {
    this.progress.written(entries, this.#options.clock.now().getTime());
    this.#written.wake();
  }

  #confirmed(reached: VersionVector): void {
    this.progress.confirmed(reached);
    this.#site.kept.confirm(seqOf(reached, this.#begin.from.origin));
    this.#changed.wake();
  }
}
