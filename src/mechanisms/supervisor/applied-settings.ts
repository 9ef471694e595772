import type { Directives } from "../../core/api/settings/setting.ts";
import { Fault } from "../../core/base/fault.ts";
import type { Log } from "../../core/base/log.ts";
import { callEngine, connectEngine } from "../../ports/resp/engine-client.ts";
import { accessSettings, changedSettings, liveSettings, passwordRules } from "./engine-config.ts";
import type { Access } from "./engine-config.ts";
import type { WantedInstance } from "./wanted-instance.ts";

const TIMEOUT_MS = 2_000;

/** The settings and the passwords that a running engine has, and the commands that bring it to its record. */
export class AppliedSettings {
  readonly #log: Log;
  #directives: Directives = {};
  #access: Access = { password: "", otherPasswords: [] };

  constructor(log: Log) {
    this.#log = log;
  }

  /** Notes what an engine was started with. */
  started(wanted: WantedInstance): void {
    this.#directives = liveSettings(wanted);
    this.#access = accessOf(wanted);
  }

  /** With one CONFIG SET of what differs; throws the client's Fault, and what fails is tried again with the next record. */
  async apply(wanted: WantedInstance): Promise<void> {
    const { host, port, password } = wanted;
    await this.#applyAccess(wanted);
    const directives = liveSettings(wanted);
    const changed = changedSettings(this.#directives, directives);
    if (changed.length === 0) return;
    await callEngine({ host, port, password, timeoutMs: TIMEOUT_MS }, "CONFIG", "SET", ...changed);
    this.#directives = directives;
    this.#log.info("engine settings changed", { changed });
  }

  /** Lets an engine that appends nothing to its disk write everything there when it is asked to end. */
  async saveAtEnd({ host, port, password, directives }: WantedInstance): Promise<void> {
    if (directives["appendonly"] === "yes") return;
    try {
      await callEngine({ host, port, password, timeoutMs: TIMEOUT_MS }, "CONFIG", "SET", "save", "3600 1");
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#log.warn("an engine cannot be asked to save its data before it ends", { error });
    }
  }

  /** Open connections stay; new ones need one of the new passwords. */
  async #applyAccess(wanted: WantedInstance): Promise<void> {
    const { host, port } = wanted;
    const [before, access] = [this.#access, accessOf(wanted)];
    if (JSON.stringify(access) === JSON.stringify(before)) return;
    // an earlier attempt whose answer was lost has done it, or has not
    const otherPasswords = [...before.otherPasswords, access.password, ...access.otherPasswords];
    const client = await connectEngine({
      host,
      port,
      password: before.password,
      otherPasswords,
      timeoutMs: TIMEOUT_MS,
    });
    try {
      await client.call("ACL", "SETUSER", "default", "resetpass", ...passwordRules(access));
      await client.call("CONFIG", "SET", ...Object.entries(accessSettings(access)).flat());
    } finally {
      client.close();
    }
    this.#access = access;
    this.#log.info("engine passwords changed", { accepted: 1 + access.otherPasswords.length });
  }
}

function accessOf({ password, otherPasswords }: WantedInstance): Access {
  return { password, otherPasswords };
}
