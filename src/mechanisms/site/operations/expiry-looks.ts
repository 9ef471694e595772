import { LostExpiries, type ExpiringKeys } from "../../../core/merge/state/lost-expiries.ts";
import type { EngineCommand } from "../../../core/merge/state/engine-writes.ts";
import type { RacedKey } from "../../../core/merge/operations/key-part.ts";
import type { Effect } from "../../../core/merge/operations/operation.ts";
import { argumentAt, argumentsOf } from "../../../ports/resp/command-frame.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { SiteSlice } from "../saved/slice.ts";
import type { StreamUnit } from "./stream-units.ts";
import { readAt, type TransactionContext } from "../saved/transaction.ts";

/** Keys that are looked at with one transaction: the engine does nothing else meanwhile. */
const AT_ONCE = 100;
/** What comes within so many milliseconds is looked at together. */
const TOGETHER_MS = 10;

/** Looks at each key that may have lost its time of expiry. `Begin` is a place in the stream. */
export class ExpiryLooks<Begin> {
  readonly #context: TransactionContext;
  readonly #name: string;
  readonly #keys: ExpiringKeys;
  readonly #lost: LostExpiries;
  #waiting: Suspected<Begin>[] = [];
  #asked: Asked<Begin> | undefined;
  #isDue = false;
  #number = 0;

  /** `name`: tells its marks from those of an earlier link. */
  constructor(context: TransactionContext, name: string, keys: ExpiringKeys) {
    this.#context = context;
    this.#name = name;
    this.#keys = keys;
    this.#lost = new LostExpiries(keys);
  }

  /** The place before the first key that has not been looked at; undefined when there is none. */
  get begin(): Begin | undefined {
    return (this.#asked?.keys ?? this.#waiting)[0]?.begin;
  }

  /** What a link has to write again that begins where it does not see the loss any more. */
  get due(): readonly RacedKey[] {
    return this.#lost.suspected.map((key) => ({ key, part: { elements: [], hasExpiry: true } }));
  }

  /** What was done at once, from that place on. */
  pass(unit: StreamUnit, begin: Begin): void {
    const keys = this.#suspectedBy(unit);
    if (keys.length === 0) return;
    for (const each of keys.map((key) => ({ key, begin }))) this.#waiting.push(each);
    this.#plan();
  }

  /** A mark came by: what is now known of the keys that were looked at there; undefined when it is no mark of a look. */
  async take(mark: string): Promise<readonly Effect[] | undefined> {
    if (this.#asked?.mark !== mark) return undefined;
    const { keys, replies } = this.#asked;
    const values = (await replies).values();
    const lost = keys.filter(({ key, reads }) => {
      const [until, size] = reads.map(() => values.next().value);
      return this.#lost.isLost(key, { until: Number(until), size: typeof size === "number" ? size : undefined });
    });
    this.#asked = undefined;
    this.#plan();
    return lost.map(({ key }) => ({ kind: "emptied", key }));
  }

  #suspectedBy(unit: StreamUnit): readonly string[] {
    if (unit.kind === "writes") return this.#lost.pass(unit.commands, undefined);
    // most of what a site writes itself need not be decoded for this
    const isConcerned =
      this.#keys.timedBy(unit.mark).length > 0 ||
      unit.writes.some(({ name, frame }) =>
        this.#lost.isConcernedBy(name, () => argumentAt(frame, 1) ?? "", unit.mark),
      );
    return isConcerned
      ? this.#lost.pass(
          unit.writes.map(({ frame }) => argumentsOf(frame)),
          unit.mark,
        )
      : [];
  }

  #plan(): void {
    if (this.#isDue || this.#asked !== undefined || this.#waiting.length === 0) return;
    const { clock, signal } = this.#context;
    this.#isDue = true;
    const look = (): void => {
      this.#isDue = false;
      this.#look();
    };
    clock.sleep(this.#waiting.length < AT_ONCE ? TOGETHER_MS : 0, signal).then(look, () => undefined); // aborted: nobody asks any more
  }

  #look(): void {
    const keys = this.#waiting.splice(0, AT_ONCE).map((each) => ({ ...each, reads: this.#readsOf(each.key) }));
    this.#number += 1;
    const mark = `expiry:${this.#name}:${this.#number}`;
    const replies = readAt(
      this.#context,
      mark,
      keys.flatMap(({ reads }) => reads),
    );
    replies.catch(() => undefined); // who waits for it, or for the connection, has the failure
    this.#asked = { mark, keys, replies };
  }

  #readsOf(key: string): readonly EngineCommand[] {
    const type = this.#lost.typeOf(key);
    const until: EngineCommand = ["PEXPIRETIME", key];
    return type === undefined ? [until] : [until, [SIZE[type], key]];
  }
}

/** What is known of keys of a slice: what else the engine holds does not expire for the site. */
export function expiringIn({
  expiring,
  slice,
}: {
  readonly expiring: ExpiringKeys;
  readonly slice: Pick<SiteSlice, "holds">;
}): ExpiringKeys {
  return {
    mayExpire: (key) => slice.holds(key) && expiring.mayExpire(key),
    isBeingTimed: (key) => expiring.isBeingTimed(key),
    timedBy: (mark) => expiring.timedBy(mark),
    isRepeated: (key, mark) => expiring.isRepeated(key, mark),
  };
}

interface Suspected<Begin> {
  readonly key: string;
  readonly begin: Begin;
}

interface Asked<Begin> {
  readonly mark: string;
  readonly keys: readonly (Suspected<Begin> & { readonly reads: readonly EngineCommand[] })[];
  readonly replies: Promise<readonly Reply[]>;
}

const SIZE = { hash: "HLEN", set: "SCARD", zset: "ZCARD" } as const;
