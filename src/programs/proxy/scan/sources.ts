import type { Clock } from "../../../core/base/clock.ts";
import type { Address } from "../../../ports/management/proxy-control.ts";
import { FIRST, tagOf } from "./cursor.ts";
import type { ScanCursor } from "./cursor.ts";
import { ScanSource } from "./source.ts";
import { isAt } from "../upstream/upstream.ts";
import type { Upstream } from "../upstream/upstream.ts";

/** Where a scan goes on. */
export interface ScanRoute {
  readonly source: ScanSource;
  /** Of the epoch that the answer's cursor belongs to. */
  readonly tag: number;
  readonly position: string;
}

/** The servers that an endpoint's scans may go on at: its primary, and those that were primary not long ago. */
export class ScanSources {
  readonly #clock: Clock;
  readonly #connectTo: (address: Address) => Upstream;
  readonly #patienceMs: () => number;
  readonly #byTag = new Map<number, ScanSource>();
  #primary: { readonly tag: number; readonly address: Address } | undefined;

  constructor(clock: Clock, connectTo: (address: Address) => Upstream, patienceMs: () => number) {
    this.#clock = clock;
    this.#connectTo = connectTo;
    this.#patienceMs = patienceMs;
  }

  /** From now on this is the primary; undefined: there is none. */
  serve(epoch: number, address: Address | undefined): void {
    this.#forget();
    const before = this.#here;
    this.#primary = address === undefined ? undefined : { tag: tagOf(epoch), address };
    const now = this.#here ?? this.#open();
    if (before !== now) before?.leave();
    now?.comeBack();
  }

  /** Where the scan with this cursor goes on: where it began, or from the start at the primary. Undefined without primary. */
  route({ tag, position }: ScanCursor): ScanRoute | undefined {
    const known = this.#byTag.get(tag);
    if (known?.over === false) return { source: known, tag, position };
    const source = this.#here ?? this.#open();
    if (source === undefined || this.#primary === undefined) return undefined;
    // a cursor that no proxy has given out came from a script or a transaction at the primary
    const goesOn = tag === 0 || tag === this.#primary.tag;
    return { source, tag: this.#primary.tag, position: goesOn ? position : FIRST };
  }

  /** True for the source that is primary now. */
  isPrimary({ upstream }: ScanSource): boolean {
    return this.#primary !== undefined && isAt(upstream, this.#primary.address);
  }

  close(): void {
    for (const source of this.#byTag.values()) source.end();
    this.#byTag.clear();
  }

  /** The primary's source, if it has one that lives. */
  get #here(): ScanSource | undefined {
    if (this.#primary === undefined) return undefined;
    const { tag, address } = this.#primary;
    const living = [...this.#byTag.values()].filter(({ over }) => !over);
    const here = living.find(({ upstream }) => isAt(upstream, address));
    if (here !== undefined) this.#byTag.set(tag, here);
    return here;
  }

  #open(): ScanSource | undefined {
    if (this.#primary === undefined) return undefined;
    const { tag, address } = this.#primary;
    const source = new ScanSource(this.#connectTo(address), this.#clock, this.#patienceMs());
    this.#byTag.set(tag, source);
    return source;
  }

  #forget(): void {
    for (const [tag, { over }] of this.#byTag) if (over) this.#byTag.delete(tag);
  }
}
