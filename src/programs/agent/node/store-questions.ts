import { ConcurrencyLimit } from "#kit/base/concurrency-limit";
import { Fault } from "#kit/base/fault";
import { faults } from "../faults.ts";

/** What a node asks object stores for those who wait for the answer: each is a process, and so there are few of them, whoever asks and how often. */
export class StoreQuestions {
  readonly #limit = new ConcurrencyLimit(AT_ONCE);
  #asked = 0;

  /** Asks once it is its turn; AGENT_BACKUP_QUESTIONS, and nothing is asked, when too many wait already. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    if (this.#asked >= AT_ONCE + MOST_WAITING)
      throw new Fault(
        faults.backupQuestions,
        `Of object stores, this node asks ${AT_ONCE} questions at once, and ${MOST_WAITING} wait already.`,
      );
    this.#asked += 1;
    try {
      return await this.#limit.run(question);
    } finally {
      this.#asked -= 1;
    }
  }
}

/** A process takes some 60 MB. */
const AT_ONCE = 3;
const MOST_WAITING = 24;
