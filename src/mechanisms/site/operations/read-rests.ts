import type { Effect } from "../../../core/merge/operations/operation.ts";

/** How long large keys are left alone after they were read: small changes of one cost others a share of the time, and not all of it. */
export class ReadRests {
  readonly #until = new Map<string, number>();

  /** The key was read, which took so long and found this. */
  add(key: string, { effects, tookMs, now }: TakenRead): void {
    this.#until.delete(key);
    if (sizeOf(effects) < LARGE) return;
    this.#until.set(key, now + Math.min(LONGEST_MS, TIMES * tookMs));
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST && oldest !== undefined) this.#until.delete(oldest);
  }

  /** How long the key is still left alone, in milliseconds. */
  msFor(key: string, now: number): number {
    return Math.max(0, (this.#until.get(key) ?? 0) - now);
  }
}

/** A read of a whole key. */
export interface TakenRead {
  /** What it found. */
  readonly effects: readonly Effect[];
  readonly tookMs: number;
  readonly now: number;
}

/** Elements; so many bytes count as one. */
const [LARGE, BYTES] = [1_000, 256];
const [TIMES, LONGEST_MS] = [16, 1_000];
const MOST = 1_000;

function sizeOf(effects: readonly Effect[]): number {
  const values = effects.flatMap((effect) => (effect.kind === "put" ? [effect.value] : []));
  return values.reduce((sum, value) => sum + (typeof value === "string" ? 1 + value.length / BYTES : value.length), 0);
}
