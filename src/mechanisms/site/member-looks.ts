import type { KnownScores } from "../../core/merge/known-scores.ts";
import type { KeyLooks } from "./key-looks.ts";
import type { TransactionContext } from "./transaction.ts";

/** Looks at the members of sorted sets that clients change, so that it is known which of them a later command pops. */
export class MemberLooks {
  readonly #context: TransactionContext;
  readonly #looks: Pick<KeyLooks, "look">;
  readonly #scores: KnownScores;
  readonly #wanted = new Set<string>();
  #isLooking = false;

  constructor(context: TransactionContext, looks: Pick<KeyLooks, "look">, scores: KnownScores) {
    this.#context = context;
    this.#looks = looks;
    this.#scores = scores;
  }

  /** A client has done this. */
  pass(command: readonly string[]): void {
    const key = this.#scores.lackedBy(command);
    if (key === undefined || this.#wanted.size >= MOST_WANTED) return;
    this.#wanted.add(key);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#lookAtAll().catch(() => undefined); // who follows the stream has the failure of the connection; aborted: nobody asks any more
  }

  async #lookAtAll(): Promise<void> {
    const { client, clock, signal } = this.#context;
    for (;;) {
      await clock.sleep(PAUSE_MS, signal);
      const keys = [...this.#wanted].slice(0, AT_ONCE).filter((key) => !this.#scores.has(key));
      const sizes = await client.callAll(
        keys.map((key) => ["ZCARD", key]),
        "latin1",
      );
      const small = keys.filter((_, at) => typeof sizes[at] === "number" && Number(sizes[at]) <= MOST_MEMBERS);
      await this.#looks.look(small, (key, effects) => this.#scores.learn(key, effects));
      for (const key of keys) this.#wanted.delete(key);
      if (this.#wanted.size > 0) continue;
      this.#isLooking = false;
      return;
    }
  }
}

const MOST_WANTED = 1_000;
/** The engine has other things to do. */
const [PAUSE_MS, AT_ONCE] = [50, 5];
/** A set with more is known from the time when one was popped, and all was read. */
const MOST_MEMBERS = 10_000;
