import type { Clock } from "#kit/base/clock";
import { ConcurrencyLimit } from "#kit/base/concurrency-limit";

/** How an agent is asked. */
export interface AgentLineOptions<Question> {
  readonly send: (question: Question & { readonly ask: number }) => void;
  readonly clock: Clock;
  /** So many questions at once: the agent renews leases, and clients that ask all the time must not keep it from that. */
  readonly mostAtOnce: number;
  /** An answer is not waited for longer, in milliseconds. */
  readonly withinMs: number;
}

/** Asks the agent questions of one kind. */
export class AgentLine<Question extends object, Answer> {
  readonly #options: AgentLineOptions<Question>;
  readonly #unanswered = new Map<number, (answer: Answer) => void>();
  readonly #limit: ConcurrencyLimit;
  #next = 1;

  constructor(options: AgentLineOptions<Question>) {
    this.#options = options;
    this.#limit = new ConcurrencyLimit(options.mostAtOnce);
  }

  /** The answer; undefined when the agent has none in time. */
  ask(question: Question): Promise<Answer | undefined> {
    return this.#limit.run(() => this.#answerTo(question));
  }

  /** The agent's answer to the question of that number. */
  receive(ask: number, answer: Answer): void {
    this.#unanswered.get(ask)?.(answer);
  }

  async #answerTo(question: Question): Promise<Answer | undefined> {
    const { clock, send, withinMs } = this.#options;
    const ask = this.#next++;
    const answered = new AbortController();
    const answer = new Promise<Answer>((resolve) => this.#unanswered.set(ask, resolve));
    // aborted below, when the answer is there
    const late = clock.sleep(withinMs, answered.signal).catch(() => undefined);
    send({ ask, ...question });
    try {
      return await Promise.race([answer, late.then(() => undefined)]);
    } finally {
      this.#unanswered.delete(ask);
      answered.abort();
    }
  }
}
