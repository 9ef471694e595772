import { setTimeout as sleep } from "node:timers/promises";
import { dialSocket } from "../../../../src/ports/resp/dial.ts";
import type { Dice } from "../../world/chaos.ts";
import type { Answer } from "../stories/story.ts";
import { Line } from "./line.ts";
import type { Happening } from "./tale.ts";

/** Who it is, and where it connects. */
export interface MemberOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly dice: Dice;
  /** Nothing fails: what was not answered was not executed, and is asked again. */
  readonly isCalm: boolean;
  /** Ends it at once. */
  readonly signal: AbortSignal;
  note(event: Happening): void;
}

/** So that the machine has time for the cluster. */
const PAUSE_MS = 12;
const AGAIN_MS = 50;
const DIAL_MS = 10_000;

/** One client of a company: it has a connection whenever its endpoint takes one. */
export class Member {
  readonly dice: Dice;
  readonly name: string;
  readonly isCalm: boolean;
  readonly #options: MemberOptions;
  #line: Line | undefined;
  #connections = 0;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.dice = options.dice;
    this.name = options.name;
    this.isCalm = options.isCalm;
    options.signal.addEventListener("abort", () => this.#line?.close(), { once: true });
  }

  /** What it waits for an answer to. */
  get current(): string {
    return this.#line?.current ?? "";
  }

  /** Its connection, which it makes where it has none; undefined when it was ended. */
  async line(): Promise<Line | undefined> {
    await sleep(PAUSE_MS);
    while (!this.#options.signal.aborted) {
      if (this.#line?.isOver === false) return this.#line;
      this.#line = await this.#connect();
      if (this.#line === undefined) await sleep(AGAIN_MS);
    }
    return undefined;
  }

  /** The answer on whichever connection it has. */
  async ask(...command: readonly string[]): Promise<Answer> {
    for (;;) {
      const line = await this.line();
      if (line === undefined) return { kind: "none" };
      const answer = await line.ask(...command);
      if (answer.kind !== "none" || !this.isCalm) return answer;
    }
  }

  async #connect(): Promise<Line | undefined> {
    const { name, host, port, signal, note } = this.#options;
    try {
      const socket = await dialSocket({ host, port, timeoutMs: DIAL_MS, signal });
      const line = new Line(socket, { member: name, connection: `${name}#${(this.#connections += 1)}`, note });
      const { kind } = await line.ask("HELLO", "3");
      if (kind === "reply") return line;
      line.close();
    } catch {
      // the endpoint takes no connection now
    }
    return undefined;
  }
}
