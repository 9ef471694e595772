import { Fault } from "#kit/base/fault";
import type { KnownScores } from "../../../core/merge/operations/known-scores.ts";
import type { KeyLooks } from "./key-looks.ts";
import type { TransactionContext } from "../saved/transaction.ts";

/** What a look needs of its connection. */
type Looking = Pick<TransactionContext, "clock" | "signal"> & {
  readonly client: Pick<TransactionContext["client"], "callAll">;
  /** True of a key that is looked at. */
  readonly holds: (key: string) => boolean;
};

/** Looks at the members of sorted sets that clients change, so that it is known which of them a later command pops. */
export class MemberLooks {
  readonly #context: Looking;
  readonly #looks: Pick<KeyLooks, "look">;
  readonly #scores: KnownScores;
  readonly #wanted = new Set<string>();
  #isLooking = false;
  #error: Error | undefined;

  constructor(context: Looking, looks: Pick<KeyLooks, "look">, scores: KnownScores) {
    this.#context = context;
    this.#looks = looks;
    this.#scores = scores;
  }

  /** A client has done this. Throws an error of the program that a look before has met. */
  pass(command: readonly string[]): void {
    if (this.#error !== undefined) throw this.#error;
    const key = this.#scores.lackedBy(command);
    if (key === undefined || this.#wanted.size >= MOST_WANTED || !this.#context.holds(key)) return;
    this.#wanted.add(key);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookAtAll().catch((error: unknown) => {
      this.#isLooking = false;
      // who follows the stream has the failure of a connection; after what the engine refused, the next change asks again
      if (error instanceof Fault || this.#context.signal.aborted) return;
      this.#error = error instanceof Error ? error : new Error("a look at members has failed", { cause: error });
    });
  }

  async #lookAtAll(): Promise<void> {
    const { clock, signal } = this.#context;
    while (this.#wanted.size > 0) {
      await clock.sleep(PAUSE_MS, signal);
      const next = [...this.#wanted].slice(0, AT_ONCE);
      await this.#lookAt(next.filter((key) => !this.#scores.has(key)));
      for (const key of next) this.#wanted.delete(key);
    }
    this.#isLooking = false;
  }

  async #lookAt(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const asked = keys.map((key) => ["ZCARD", key]);
    const sizes = await this.#context.client.callAll(asked, "latin1");
    const small = keys.filter((_, at) => typeof sizes[at] === "number" && Number(sizes[at]) <= MOST_MEMBERS);
    await this.#looks.look(small, (key, effects) => this.#scores.learn(key, effects));
  }
}

const MOST_WANTED = 1_000;
/** The engine has other things to do. */
const [PAUSE_MS, AT_ONCE] = [50, 5];
/** A set with more is known from the time when one was popped, and all was read. */
const MOST_MEMBERS = 10_000;
