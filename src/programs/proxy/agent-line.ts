import type { AgentQuestion } from "./endpoint/endpoint.ts";
import type { Clock } from "../../core/base/clock.ts";
import { CLIENTS_ANSWER_MS } from "../../ports/management/clients-question.ts";
import type { ClientsAnswer, ClientsQuestion, OtherClients } from "../../ports/management/clients-question.ts";

/** Asks the agent about the clients of other nodes. */
export class AgentLine {
  readonly #send: (question: ClientsQuestion) => void;
  readonly #clock: Clock;
  readonly #unanswered = new Map<number, (others: readonly OtherClients[]) => void>();
  readonly #queue: (() => void)[] = [];
  #underWay = 0;
  #next = 1;

  constructor(send: (question: ClientsQuestion) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  /** The answers of the other nodes; undefined when the agent has none in time. */
  async ask(question: AgentQuestion): Promise<readonly OtherClients[] | undefined> {
    if (this.#underWay >= MOST_AT_ONCE) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#underWay++;
    try {
      return await this.#answerTo(question);
    } finally {
      this.#underWay--;
      this.#queue.shift()?.();
    }
  }

  receive({ answer, others }: ClientsAnswer): void {
    this.#unanswered.get(answer)?.(others);
  }

  async #answerTo(question: AgentQuestion): Promise<readonly OtherClients[] | undefined> {
    const ask = this.#next++;
    const answered = new AbortController();
    const answer = new Promise<readonly OtherClients[]>((resolve) => this.#unanswered.set(ask, resolve));
    // aborted below, when the answer is there
    const late = this.#clock.sleep(AGENT_ANSWER_MS, answered.signal).catch(() => undefined);
    this.#send({ ask, ...question });
    try {
      return await Promise.race([answer, late.then(() => undefined)]);
    } finally {
      this.#unanswered.delete(ask);
      answered.abort();
    }
  }
}

/** The agent renews leases: clients that ask all the time must not keep it from that. */
const MOST_AT_ONCE = 4;
const AGENT_ANSWER_MS = CLIENTS_ANSWER_MS + 500;
