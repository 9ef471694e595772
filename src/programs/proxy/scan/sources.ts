import type { Clock } from "#kit/base/clock";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { FIRST, NO_EPOCH, beginningTag, epochTag, runTag } from "./cursor.ts";
import type { ScanCursor } from "./cursor.ts";
import { ScanSource } from "./source.ts";
import type { Requirement } from "../upstream/requirement.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** Where a scan continues. */
export interface ScanRoute {
  readonly source: ScanSource;
  /** The tag of the epoch that the answer's cursor belongs to. */
  readonly tag: number;
  readonly position: string;
}

/** The servers at which the scans of an endpoint continue: its primary, and its recent primaries. */
export class ScanSources {
  readonly #clock: Clock;
  readonly #connectTo: (address: EnginePlace) => Upstream;
  readonly #patienceMs: () => number;
  #tableEpoch: number;
  readonly #sources = new Set<ScanSource>();
  readonly #byTag = new Map<number, ScanSource>();
  #primary: { readonly epoch: number; readonly tag: number; readonly address: EnginePlace } | undefined;
  /** The process that was the first one of the primary in this epoch; others have tags of their own. */
  #first: { readonly tag: number; readonly run: string } | undefined;
  #requirement: Requirement = "hold";

  /** `tableEpoch`: of the slots of its shard. */
  constructor(clock: Clock, connectTo: (address: EnginePlace) => Upstream, patienceMs: () => number, tableEpoch = 0) {
    this.#tableEpoch = tableEpoch;
    this.#clock = clock;
    this.#connectTo = connectTo;
    this.#patienceMs = patienceMs;
  }

  /**
   * Sets the primary, undefined while there is none, and what its replies wait for. While they wait, scans go on nowhere
   * else: what a former primary shows is not sure to last.
   */
  setPrimary(epoch: number, address: EnginePlace | undefined, requirement: Requirement): void {
    this.#forget();
    this.#requirement = requirement;
    const before = this.#current;
    this.#primary = address === undefined ? undefined : { epoch, tag: epochTag(epoch, this.#tableEpoch), address };
    const now = this.#current ?? this.#open();
    if (before !== now) before?.demote();
    now?.promote();
    now?.upstream.rounds.require(requirement);
    if (now !== undefined) this.#tagOf(now);
    if (requirement !== "none") for (const source of this.#sources) if (source !== now) source.end();
  }

  /** The shard is one of another table: a cursor that was given out before says nothing of where its shards lie now. */
  changeTable(tableEpoch: number): void {
    this.#tableEpoch = tableEpoch;
    this.#byTag.clear();
    const { epoch, address } = this.#primary ?? {};
    for (const source of this.#sources) if (source !== this.#current) source.end();
    if (epoch !== undefined) this.setPrimary(epoch, address, this.#requirement);
  }

  /** The tag of a cursor at which the scan of a shard begins. */
  get beginningTag(): number {
    return beginningTag(this.#tableEpoch);
  }

  /** False for a cursor of which it is not known that it was given out for the shards of this table: the keys of a shard before lie elsewhere now. */
  isOfTable({ tag, position }: ScanCursor): boolean {
    if (this.#tableEpoch === 0) return true;
    if (tag === 0) return position === FIRST;
    return tag === this.beginningTag || this.#byTag.get(tag)?.over === false;
  }

  /** Resolves when it is known which process the primary is, or cannot be known now. */
  async named(): Promise<void> {
    await (this.#current ?? this.#open())?.run.named();
  }

  /** The server where the scan began, or the start of a new scan at the primary. Undefined without primary. */
  route({ tag, position }: ScanCursor): ScanRoute | undefined {
    const source = this.#current ?? this.#open();
    const own = source === undefined ? undefined : this.#tagOf(source);
    const known = this.#byTag.get(tag);
    if (known?.over === false) return { source: known, tag, position };
    if (source === undefined || own === undefined) return undefined;
    // a cursor without tag came from a script at the primary
    const continues = tag === 0 || (tag === own && own !== NO_EPOCH);
    return { source, tag: own, position: continues ? position : FIRST };
  }

  close(): void {
    for (const source of this.#sources) source.end();
    this.#forget();
  }

  /** The source of the primary, if it has one whose process lives. */
  get #current(): ScanSource | undefined {
    const { address } = this.#primary ?? {};
    return address && [...this.#sources].find(({ over, upstream }) => !over && upstream.isAt(address));
  }

  /**
   * The tag of the cursors that the primary gives out now: that of the epoch, which all proxies know at once, as long as its process is the
   * one that was first seen in it.
   */
  #tagOf(source: ScanSource): number | undefined {
    const tag = this.#primary && this.#tagOfRun(this.#primary.tag, source.run.id);
    if (tag !== undefined && tag !== NO_EPOCH) this.#byTag.set(tag, source);
    return tag;
  }

  #tagOfRun(tag: number, run: string | undefined): number {
    if (this.#first?.tag !== tag) {
      if (run !== undefined) this.#first = { tag, run };
      return tag;
    }
    if (run === undefined) return NO_EPOCH;
    return run === this.#first.run ? tag : runTag(run);
  }

  #open(): ScanSource | undefined {
    if (this.#primary === undefined) return undefined;
    const source = new ScanSource(this.#connectTo(this.#primary.address), this.#clock, this.#patienceMs());
    source.upstream.rounds.require(this.#requirement);
    this.#sources.add(source);
    return source;
  }

  #forget(): void {
    for (const source of this.#sources) if (source.over) this.#sources.delete(source);
    for (const [tag, { over }] of this.#byTag) if (over) this.#byTag.delete(tag);
  }
}
