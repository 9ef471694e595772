import type { Moment } from "./expected.ts";
import { Keyspace, type KeyspaceOptions } from "./keyspace.ts";
import type { Answered } from "./story.ts";

/** What one connection is answered: at once, or in its place of the reply to EXEC. */
export class Answering {
  readonly #keys: Keyspace;
  #queued: (readonly string[])[] | undefined;

  constructor(options: KeyspaceOptions) {
    this.#keys = new Keyspace(options);
  }

  /** What is wrong with the answer, in words; undefined when nothing is. */
  answer(command: readonly string[], reply: Answered, moment: Moment): string | undefined {
    const queued = this.#queued;
    const [name] = command;
    if (name === "MULTI") {
      this.#queued = [];
      return exact(reply, "OK");
    }
    if (queued === undefined) return this.#keys.answer(command, reply, moment);
    if (name !== "EXEC" && name !== "DISCARD") {
      queued.push(command);
      return exact(reply, "QUEUED");
    }
    this.#queued = undefined;
    return name === "DISCARD" ? exact(reply, "OK") : this.#executed(queued, reply, moment);
  }

  #executed(queued: readonly (readonly string[])[], reply: Answered, moment: Moment): string | undefined {
    if (!Array.isArray(reply) || reply.length !== queued.length)
      return `${JSON.stringify(reply)} where ${queued.length} replies are right`;
    return queued.map((command, at) => this.#keys.answer(command, reply[at] ?? null, moment)).find(Boolean);
  }
}

function exact(reply: Answered, right: string): string | undefined {
  return reply === right ? undefined : `${JSON.stringify(reply)} where ${right} is right`;
}
