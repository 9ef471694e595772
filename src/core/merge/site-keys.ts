import type { ComparedKey } from "./state/compared-key.ts";
import { heldKey } from "./state/held-key.ts";
import { hasTime, mayHaveTime } from "./state/key-times.ts";
import type { ExpiringKeys } from "./state/lost-expiries.ts";
import type { MergedState } from "./state/merged-state.ts";
import { expiredIn, outlives } from "./state/outlived-expiry.ts";
import type { Effect, Operation } from "./operations/operation.ts";
import type { PendingApplies } from "./saved/pending-applies.ts";
import type { TransferredKey } from "./transfer/transfer.ts";
import { uncapturedEffects, type KeyAt } from "./state/uncaptured-effects.ts";
import { capturedContent } from "./transfer/captured-content.ts";
import { OverKeys } from "./over-keys.ts";
import { RepairedKeys } from "./repaired-keys.ts";
import { coversAll, withDot, type VersionVector } from "./operations/version-vector.ts";

/**
 * What a site knows of a key that was read at a mark, asked when the mark comes by; `effects` write elsewhere what the engine held. Undefined
 * while something on the key is under way: read it again.
 */
export class SiteKeys implements ExpiringKeys {
  readonly #site: number;
  readonly #state: MergedState;
  readonly #pending: PendingApplies;
  readonly #received: () => VersionVector;
  /** What is over of them. */
  readonly over: OverKeys;
  /** Which of them are being written again. */
  readonly repaired: RepairedKeys;

  constructor(site: number, state: MergedState, pending: PendingApplies, received: () => VersionVector) {
    this.#site = site;
    this.#state = state;
    this.#pending = pending;
    this.#received = received;
    this.over = new OverKeys(site, state, pending);
    this.repaired = new RepairedKeys(state, pending);
  }

  /** Names of the keys of which more is known than what was agreed on. */
  get known(): readonly string[] {
    return this.#state.all().map(({ key }) => key);
  }

  /** How many these are. */
  get count(): number {
    return this.#state.size;
  }

  /** The key for a site that has nothing. */
  transferred(key: string, effects: readonly Effect[]): TransferredKey | undefined {
    if (this.#pending.hasOperation(key)) return undefined;
    const state = this.#state.stateOf(key);
    return { key, effects: capturedContent(key, effects, this.#state.known(key)), state };
  }

  /** The key for a site that looks for changes that it has not captured. */
  compared(key: string, effects: readonly Effect[]): ComparedKey | undefined {
    if (this.#pending.has(key)) return undefined;
    return { key, effects, state: this.#state.known(key), received: this.#received() };
  }

  /**
   * What clients did to the key and the site has not captured: to elements of which more is known, or, with the key of another site, to all
   * others.
   */
  uncaptured(key: string, effects: readonly Effect[], there?: KeyAt): readonly Effect[] | undefined {
    if (this.#pending.has(key)) return undefined;
    const here = { held: heldKey(effects), state: this.#state.known(key), received: this.#received() };
    return uncapturedEffects(key, here, there);
  }

  mayExpire(key: string): boolean {
    return mayHaveTime(this.#state.known(key));
  }

  isBeingTimed(key: string): boolean {
    return this.#pending.writesTimeOf(key);
  }

  isRepeated(key: string, mark: string): boolean {
    const operation = this.#pending.operationOf(mark);
    if (operation === undefined) return false;
    return coversAll(withDot(operation.seen, operation.dot), this.#state.known(key).touched);
  }

  /**
   * The keys that expired at the site of the operation and live on here, since this site has set a later time that the other one had not seen:
   * their content has to be captured before the operation is taken in.
   */
  keptAlive(operation: Operation): readonly string[] {
    return expiredIn(operation).filter((key) => {
      const state = this.#state.stateOf(key);
      return state !== undefined && outlives(state, operation, this.#site);
    });
  }

  timedBy(mark: string): readonly string[] {
    return this.#pending.timedBy(mark).filter((key) => hasTime(this.#state.known(key)));
  }
}
