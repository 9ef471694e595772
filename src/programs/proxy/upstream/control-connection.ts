import type { Address } from "../../../ports/management/proxy-control.ts";
import { connectEngine } from "../../../ports/resp/engine-client.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { ScriptCache } from "./script-cache.ts";

/** A connection to one engine for commands of the proxy itself, dialled when it is first needed and kept open. */
export class ControlConnection {
  readonly #address: Address;
  readonly #passwords: () => readonly string[];
  readonly #scripts: ScriptCache;
  readonly #loadedScripts = new Set<string>();
  #client: Promise<EngineClient> | undefined;

  constructor(address: Address, passwords: () => readonly string[], scripts: ScriptCache) {
    this.#address = address;
    this.#passwords = passwords;
    this.#scripts = scripts;
  }

  /** The open connection; rejects when the engine cannot be reached, and the next call dials again. */
  client(): Promise<EngineClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  /** Loads the scripts that this engine has not got yet. */
  async loadScripts(): Promise<void> {
    const missing = this.#scripts.entries().filter(([sha]) => !this.#loadedScripts.has(sha));
    const client = await this.client();
    for (const [sha] of missing) this.#loadedScripts.add(sha);
    await Promise.all(missing.map(([, body]) => client.call("SCRIPT", "LOAD", body)));
  }

  close(): void {
    void this.#client?.then(
      (client) => {
        client.close();
      },
      () => undefined, // it was never connected
    );
  }

  async #connect(): Promise<EngineClient> {
    try {
      const [password, ...otherPasswords] = this.#passwords();
      const client = await connectEngine({ ...this.#address, password, otherPasswords, timeoutMs: TIMEOUT_MS });
      void client.closed.then(() => {
        this.#client = undefined;
      });
      return client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }
}

const TIMEOUT_MS = 5000;
