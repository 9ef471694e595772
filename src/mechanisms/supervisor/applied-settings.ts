import type { Directives } from "../../core/api/settings/setting.ts";
import type { Log } from "../../core/base/log.ts";
import { callEngine, engineCodeOf } from "../../ports/resp/engine-client.ts";
import { accessSettings, changedSettings, liveSettings } from "./engine-config.ts";
import type { WantedInstance } from "./wanted-instance.ts";

const TIMEOUT_MS = 2_000;

/** The settings and the password that a running engine has, and the commands that bring it to its record. */
export class AppliedSettings {
  readonly #log: Log;
  #directives: Directives = {};
  #password = "";

  constructor(log: Log) {
    this.#log = log;
  }

  /** Notes what an engine was started with. */
  started(wanted: WantedInstance): void {
    this.#directives = liveSettings(wanted);
    this.#password = wanted.password;
  }

  /** With one CONFIG SET of what differs; throws the client's Fault, and what fails is tried again with the next record. */
  async apply(wanted: WantedInstance): Promise<void> {
    const { host, port, password } = wanted;
    await this.#applyPassword(wanted);
    const directives = liveSettings(wanted);
    const changed = changedSettings(this.#directives, directives);
    if (changed.length === 0) return;
    await callEngine({ host, port, password, timeoutMs: TIMEOUT_MS }, "CONFIG", "SET", ...changed);
    this.#directives = directives;
    this.#log.info("engine settings changed", { changed });
  }

  /** Open connections stay; new ones need the new password. */
  async #applyPassword({ host, port, password }: WantedInstance): Promise<void> {
    if (password === this.#password) return;
    const settings = Object.entries(accessSettings(password)).flat();
    const address = { host, port, password: this.#password, timeoutMs: TIMEOUT_MS };
    try {
      await callEngine(address, "CONFIG", "SET", ...settings);
    } catch (error) {
      // an earlier attempt whose answer was lost has done it
      if (engineCodeOf(error) !== "WRONGPASS") throw error;
    }
    this.#password = password;
    this.#log.info("engine password changed");
  }
}
