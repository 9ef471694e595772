import { Fault } from "#kit/base/fault";
import { connectEngine, errorReplyOf, type EngineAddress, type EngineClient } from "../../ports/resp/engine-client.ts";
import type { Arg } from "../../ports/resp/encode.ts";
import { byteStringOf, listOf, type Reply } from "../../ports/resp/reply.ts";

/** Reads keys of one side, over a connection of its own. Names of keys have a character for each byte. */
export class KeyReader {
  readonly #client: EngineClient;
  #database = 0;

  private constructor(client: EngineClient) {
    this.#client = client;
  }

  static async open(address: EngineAddress): Promise<KeyReader> {
    return new KeyReader(await connectEngine({ ...address, timeoutMs: ANSWER_MS, bulk: "bytes" }));
  }

  /** The replies to these commands, null where the key has become another meanwhile; the fault of the first that was refused otherwise. */
  async ask(database: number, commands: readonly (readonly Arg[])[]): Promise<readonly Reply[]> {
    if (commands.length === 0) return [];
    const isSelected = database === this.#database;
    const all = isSelected ? commands : [["SELECT", database], ...commands];
    const outcomes = await this.#client.callAll(all, "latin1");
    this.#database = database;
    const replies = outcomes.map((outcome) => {
      if (!(outcome instanceof Fault)) return outcome;
      if (IS_ANOTHER.test(errorReplyOf(outcome) ?? "")) return null;
      throw outcome;
    });
    return isSelected ? replies : replies.slice(1);
  }

  /** The names of all keys, some at a time; one may come twice. */
  async *names(database: number): AsyncGenerator<readonly string[]> {
    let cursor = "0";
    do {
      const [reply = null] = await this.ask(database, [["SCAN", cursor, "COUNT", NAMES_AT_ONCE]]);
      const [next = null, names = null] = listOf(reply);
      cursor = byteStringOf(next);
      yield listOf(names).map(byteStringOf);
    } while (cursor !== "0");
  }

  /** Which of the keys are there. */
  async existing(database: number, keys: readonly string[]): Promise<readonly string[]> {
    const replies = await this.ask(
      database,
      keys.map((key) => ["EXISTS", key]),
    );
    return keys.filter((_, at) => replies[at] === 1);
  }

  close(): void {
    this.#client.close();
  }
}

const ANSWER_MS = 60_000;
const NAMES_AT_ONCE = 250;
/** What engines answer when a key has another type, or is not there. */
const IS_ANOTHER = /^WRONGTYPE |^ERR no such key/;
