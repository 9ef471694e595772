import { awaitOffset, roleOf } from "./engines.ts";
import type { CatchUp, EngineControl } from "./engines.ts";
import type { Pace } from "./pace.ts";

/** A primary and its replica, and how often they may be asked. */
export interface VerifyPair {
  readonly primary: EngineControl;
  readonly replica: EngineControl;
  readonly pace: Pace;
}

/** "changing": it changed under each comparison, so that there is no verdict. */
export type KeyVerdict = "equal" | "different" | "changing";

export interface SettledKey {
  readonly verdict: KeyVerdict;
  /** What the replica had last. */
  readonly copy: string;
}

/**
 * Reads what an engine has of each of these items, as text in the same order. The question is bounded: it costs the engine some milliseconds at
 * most.
 */
export type ReadItems<T> = (side: EngineControl, items: readonly T[]) => Promise<readonly string[]>;

/**
 * Compares values while clients write. A value that is not equal at once is read again: at the primary, at the replica once it has applied
 * everything up to there, and at the primary again. It is different when it changed on neither side in any round, so that a change of clients
 * never counts as a loss, and a changing value hides no other.
 */
export async function settle<T>(
  pair: VerifyPair,
  items: readonly T[],
  read: ReadItems<T>,
): Promise<readonly SettledKey[]> {
  const seen = items.map((item) => new Sight(item));
  const catchUp: CatchUp = { withinMs: CATCH_UP_MS, pause: () => pair.pace.pause() };
  for (let round = 0; round < ROUNDS; round += 1) {
    const open = seen.filter(({ isEqual }) => !isEqual);
    if (open.length === 0) break;
    const asked = open.map(({ item }) => item);
    const ask = (side: EngineControl): Promise<readonly string[]> => pair.pace.ask(() => read(side, asked));
    const before = await ask(pair.primary);
    if (round > 0) await awaitOffset((await roleOf(pair.primary)).offset, pair.replica, catchUp);
    const replica = await ask(pair.replica);
    const after = round === 0 ? before : await ask(pair.primary);
    for (const [i, sight] of open.entries()) sight.note(before[i] ?? "", replica[i] ?? "", after[i] ?? "", round);
  }
  return seen.map(({ verdict, copy }) => ({ verdict, copy }));
}

const ROUNDS = 6;
/** No client is held meanwhile, and a comparison that fails begins anew. */
const CATCH_UP_MS = 30_000;

/** What was seen of one value. */
class Sight<T> {
  readonly item: T;
  isEqual = false;
  copy = "";
  #first: readonly [string, string] | undefined;
  #hasChanged = false;

  constructor(item: T) {
    this.item = item;
  }

  /** In round 0 the replica may be behind: only what is equal counts then. */
  note(before: string, replica: string, after: string, round: number): void {
    this.copy = replica;
    this.isEqual = replica === before || replica === after;
    if (round === 0) return;
    const [first, firstCopy] = (this.#first ??= [before, replica]);
    this.#hasChanged ||= before !== after || before !== first || replica !== firstCopy;
  }

  get verdict(): KeyVerdict {
    if (this.isEqual) return "equal";
    return this.#hasChanged ? "changing" : "different";
  }
}
