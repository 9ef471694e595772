import type { Socket } from "node:net";
import { encodeCommand } from "../../../../src/ports/resp/encode.ts";
import { Push, type Reply } from "../../../../src/ports/resp/reply.ts";
import { ReplyDecoder } from "../../../../src/ports/resp/reply-decoder.ts";
import type { Answer, Answered } from "../stories/story.ts";
import { answerIn, readable } from "./readable.ts";
import type { Happening } from "./tale.ts";

/** Whose connection it is, and who gets what happens on it. */
export interface LineOptions {
  readonly member: string;
  readonly connection: string;
  note(event: Happening): void;
}

interface Waiting {
  readonly command: readonly string[];
  readonly begin: number;
  readonly settle: (answer: Answer) => void;
}

/** One connection of RESP3. What happens is noted in the order of the wire, before anyone acts on it. */
export class Line {
  readonly connection: string;
  isOver = false;
  readonly #socket: Socket;
  readonly #options: LineOptions;
  readonly #waiting: Waiting[] = [];
  readonly #decoder = new ReplyDecoder();
  readonly #awaited = new Map<(values: readonly Answered[]) => boolean, () => void>();

  constructor(socket: Socket, options: LineOptions) {
    this.connection = options.connection;
    this.#socket = socket;
    this.#options = options;
    socket.on("error", () => undefined); // the close that follows is what counts
    socket.once("end", () => this.#end());
    socket.once("close", () => this.#end());
    socket.on("data", (bytes: Buffer) => {
      for (const reply of this.#decoder.push(bytes)) this.#take(reply);
    });
  }

  /** What waits for an answer; empty when nothing does. */
  get current(): string {
    return this.#waiting[0]?.command.slice(0, 3).join(" ") ?? "";
  }

  /** Has no answer when the connection ends first; a request that is asked behind its end is not noted, as it was not sent. */
  ask(...command: readonly string[]): Promise<Answer> {
    return new Promise((settle) => {
      if (this.isOver) {
        settle({ kind: "none" });
        return;
      }
      this.#waiting.push({ command, begin: now(), settle });
      this.#socket.write(encodeCommand(command));
    });
  }

  /** Resolves when a message comes for which `fits` is true, or the connection is over. */
  pushed(fits: (values: readonly Answered[]) => boolean): Promise<void> {
    return this.isOver ? Promise.resolve() : new Promise((resolve) => this.#awaited.set(fits, resolve));
  }

  close(): void {
    this.#socket.destroy();
    this.#end();
  }

  #take(reply: Reply): void {
    if (!(reply instanceof Push)) {
      this.#answer(answerIn(reply));
      return;
    }
    const values = reply.values.map(readable);
    const [kind] = values;
    // a command of subscriptions has a message for an answer
    if (this.#waiting[0]?.command[0]?.toLowerCase() === kind) {
      this.#answer({ kind: "reply", reply: values });
      return;
    }
    this.#options.note({ kind: "pushed", ...this.#whose(), at: now(), values });
    for (const [fits, resolve] of this.#awaited) if (fits(values)) this.#settle(fits, resolve);
  }

  #answer(answer: Answer): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined)
      throw new Error(`${this.connection}: an answer to no request: ${JSON.stringify(answer)}`);
    const { command, begin, settle } = waiting;
    this.#options.note({ kind: "asked", ...this.#whose(), command, begin, end: now(), answer });
    settle(answer);
  }

  #end(): void {
    if (this.isOver) return;
    this.isOver = true;
    while (this.#waiting.length > 0) this.#answer({ kind: "none" });
    this.#options.note({ kind: "ended", ...this.#whose(), at: now() });
    for (const [fits, resolve] of this.#awaited) this.#settle(fits, resolve);
  }

  #settle(fits: (values: readonly Answered[]) => boolean, resolve: () => void): void {
    this.#awaited.delete(fits);
    resolve();
  }

  #whose(): { readonly member: string; readonly connection: string } {
    return { member: this.#options.member, connection: this.connection };
  }
}

function now(): number {
  return Number(process.hrtime.bigint());
}
