import type { Directives } from "../../core/api/settings/setting.ts";
import { Fault } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { callEngine, connectEngine, type EngineOptions } from "../../ports/resp/engine-client.ts";
import { engineLogins, type EngineAccess } from "../../core/api/engine-login.ts";
import { accessSettings, changedSettings, liveSettings, userRules } from "./engine-config.ts";
import type { WantedInstance } from "./wanted-instance.ts";

const TIMEOUT_MS = 2_000;

/** The settings and the passwords that a running engine has, and the commands that bring it to its record. */
export class AppliedSettings {
  readonly #log: Log;
  #directives: Directives = {};
  #access: EngineAccess = { clients: [""] };

  constructor(log: Log) {
    this.#log = log;
  }

  /** Notes what an engine was started with. */
  started(wanted: WantedInstance): void {
    this.#directives = liveSettings(wanted);
    this.#access = wanted.access;
  }

  /** With one CONFIG SET of what differs; throws the client's Fault, and what fails is tried again with the next record. */
  async apply(wanted: WantedInstance): Promise<void> {
    await this.#applyAccess(wanted);
    const directives = liveSettings(wanted);
    const changed = changedSettings(this.#directives, directives);
    if (changed.length === 0) return;
    await callEngine(addressOf(wanted), "CONFIG", "SET", ...changed);
    this.#directives = directives;
    this.#log.info("engine settings changed", { changed });
  }

  /** Lets an engine that appends nothing to its disk write everything there when it is asked to end. */
  async saveAtEnd(wanted: WantedInstance): Promise<void> {
    if (wanted.directives["appendonly"] === "yes") return;
    try {
      await callEngine(addressOf(wanted), "CONFIG", "SET", "save", "3600 1");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#log.warn("an engine cannot be asked to save its data before it ends", { error });
    }
  }

  /** Open connections stay; new ones need one of the new passwords. */
  async #applyAccess(wanted: WantedInstance): Promise<void> {
    const [before, { access }] = [this.#access, wanted];
    if (JSON.stringify(access) === JSON.stringify(before)) return;
    // an earlier attempt whose answer was lost has done it, or has not
    const logins = [...engineLogins(before), ...engineLogins(access)];
    const client = await connectEngine({ ...addressOf(wanted), logins });
    try {
      for (const [user, ...rules] of userRules(access))
        await client.call("ACL", "SETUSER", user ?? "", "resetpass", ...rules);
      await client.call("CONFIG", "SET", ...Object.entries(accessSettings(access)).flat());
    } finally {
      client.close();
    }
    this.#access = access;
    this.#log.info("the passwords of an engine have changed", { ofClients: access.clients.length });
  }
}

function addressOf({ host, port, access }: WantedInstance): EngineOptions {
  return { host, port, logins: engineLogins(access), timeoutMs: TIMEOUT_MS };
}
