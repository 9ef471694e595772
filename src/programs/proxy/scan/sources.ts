import type { Clock } from "../../../core/base/clock.ts";
import type { EnginePlace } from "../../../ports/management/proxy-control.ts";
import { FIRST, epochTag } from "./cursor.ts";
import type { ScanCursor } from "./cursor.ts";
import { ScanSource } from "./source.ts";
import type { Requirement } from "../upstream/requirement.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** Where a scan continues. */
export interface ScanRoute {
  readonly source: ScanSource;
  /** Of the epoch that the answer's cursor belongs to. */
  readonly tag: number;
  readonly position: string;
}

/** The servers at which the scans of an endpoint continue: its primary, and its recent primaries. */
export class ScanSources {
  readonly #clock: Clock;
  readonly #connectTo: (address: EnginePlace) => Upstream;
  readonly #patienceMs: () => number;
  readonly #byTag = new Map<number, ScanSource>();
  #primary: { readonly tag: number; readonly address: EnginePlace } | undefined;
  #requirement: Requirement = "hold";

  constructor(clock: Clock, connectTo: (address: EnginePlace) => Upstream, patienceMs: () => number) {
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
    this.#primary = address === undefined ? undefined : { tag: epochTag(epoch), address };
    const now = this.#current ?? this.#open();
    if (before !== now) before?.demote();
    now?.promote();
    now?.upstream.rounds.require(requirement);
    if (requirement !== "none") for (const source of this.#byTag.values()) if (source !== now) source.end();
  }

  /** The server where the scan began, or the start of a new scan at the primary. Undefined without primary. */
  route({ tag, position }: ScanCursor): ScanRoute | undefined {
    const known = this.#byTag.get(tag);
    if (known?.over === false) return { source: known, tag, position };
    const source = this.#current ?? this.#open();
    if (source === undefined || this.#primary === undefined) return undefined;
    // a cursor without tag came from a script or a transaction at the primary
    const continues = tag === 0 || tag === this.#primary.tag;
    return { source, tag: this.#primary.tag, position: continues ? position : FIRST };
  }

  /** True for the source that is primary now. */
  isPrimary({ upstream }: ScanSource): boolean {
    return this.#primary !== undefined && upstream.isAt(this.#primary.address);
  }

  close(): void {
    for (const source of this.#byTag.values()) source.end();
    this.#byTag.clear();
  }

  /** The source of the primary, if it has one whose process lives. */
  get #current(): ScanSource | undefined {
    if (this.#primary === undefined) return undefined;
    const { tag, address } = this.#primary;
    const living = [...this.#byTag.values()].filter(({ over }) => !over);
    const current = living.find(({ upstream }) => upstream.isAt(address));
    if (current !== undefined) this.#byTag.set(tag, current);
    return current;
  }

  #open(): ScanSource | undefined {
    if (this.#primary === undefined) return undefined;
    const { tag, address } = this.#primary;
    const source = new ScanSource(this.#connectTo(address), this.#clock, this.#patienceMs());
    source.upstream.rounds.require(this.#requirement);
    this.#byTag.set(tag, source);
    return source;
  }

  #forget(): void {
    for (const [tag, { over }] of this.#byTag) if (over) this.#byTag.delete(tag);
  }
}
