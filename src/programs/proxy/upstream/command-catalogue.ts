import type { Clock } from "#kit/base/clock";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { Reply } from "../../../ports/resp/reply.ts";
import type { CommandClass } from "../protocol/table/entry.ts";

/** The class of a command or subcommand that an engine does not know: it gives the error, and changes nothing. */
export const UNKNOWN_TO_ENGINE = "read" satisfies CommandClass;

/** What an engine says of commands that are not in the table of the proxy: those of modules, and of later engines. */
export class CommandCatalogue {
  readonly #clock: Clock;
  readonly #control: () => Promise<EngineClient>;
  readonly #classes = new Map<string, CommandClass>();

  constructor(clock: Clock, control: () => Promise<EngineClient>) {
    this.#clock = clock;
    this.#control = control;
  }

  /** The class of a command or subcommand; undefined until it was learnt. */
  classOf(name: string): CommandClass | undefined {
    return this.#classes.get(name);
  }

  /** Asks the engine; resolves also when it does not answer, a little later, and must then be asked again. */
  async learn(name: string): Promise<void> {
    try {
      const control = await this.#control();
      const reply = await control.call("COMMAND", "INFO", Buffer.from(name, "latin1"));
      const [oldest] = this.#classes.size < MOST ? [] : this.#classes.keys();
      if (oldest !== undefined) this.#classes.delete(oldest);
      this.#classes.set(name, classIn(reply));
    } catch {
      await this.#clock.sleep(RETRY_MS); // the engine is gone: the session asks again
    }
  }
}

/** A module may hold a connection with any command; what is for administrators, or is the engine's own, is not for clients. */
function classIn(reply: Reply): CommandClass {
  const [command] = Array.isArray(reply) ? reply : [];
  if (!Array.isArray(command)) return UNKNOWN_TO_ENGINE;
  const flags: unknown = command[2];
  const has = (flag: string): boolean => Array.isArray(flags) && flags.includes(flag);
  return has("module") && !has("admin") ? "long" : "refused";
}

const MOST = 1000;
const RETRY_MS = 50;
