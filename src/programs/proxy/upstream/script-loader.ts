import { Fault } from "#kit/base/fault";
import { engineCodeOf } from "../../../ports/resp/engine-client.ts";
import type { EngineClient } from "../../../ports/resp/engine-client.ts";
import type { ScriptCache } from "./script-cache.ts";

/**
 * Brings the scripts that clients have loaded to one engine. The engine itself says which of them it has, so that no attempt
 * begins anew. A script that the engine does not take is left out: what clients send decides nothing else.
 */
export class ScriptLoader {
  readonly #scripts: ScriptCache;
  readonly #client: () => Promise<EngineClient>;
  /** Scripts that this engine does not take. */
  readonly #refused = new Set<string>();
  #loading: Promise<void> | undefined;
  /** The connection over which the engine got all scripts: as long as it lasts, what the engine lacks was flushed there. */
  #completeOn: EngineClient | undefined;
  /** The digests that the engine has said to have, as long as the connection lasts. */
  #present: { readonly on: EngineClient; readonly shas: Set<string> } | undefined;

  constructor(scripts: ScriptCache, client: () => Promise<EngineClient>) {
    this.#scripts = scripts;
    this.#client = client;
  }

  /** How many of the scripts that are known the engine does not take. */
  get refused(): number {
    return this.#refused.size;
  }

  /**
   * Loads what the engine lacks, those that were used last first; rejects when the engine cannot be asked now. `isIdle`: no client has been at the
   * engine since the connection was made, so that it still has what it said to have, and is not asked again.
   */
  load({ isIdle = false } = {}): Promise<void> {
    this.#loading ??= this.#load(isIdle).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** The engine has said that it has the script with this digest. */
  has(sha: string): boolean {
    return this.#present?.shas.has(sha) === true;
  }

  /**
   * Forgets the scripts that the engine, which had all, lacks now: a client has flushed them, through whichever proxy. `isCertain`: it is known
   * that this engine was flushed.
   */
  async forgetFlushed(isCertain = false): Promise<void> {
    if (this.#completeOn !== (await this.#client()) && !isCertain) return;
    const { uses } = this.#scripts;
    for (const sha of await this.lacking()) this.#scripts.forget(sha, uses);
  }

  /** Those of the known scripts that the engine lacks now, by their digests; rejects when it cannot be asked. */
  async lacking(): Promise<readonly string[]> {
    this.#present = undefined;
    const client = await this.#client();
    return absentFrom(
      client,
      this.#scripts.entries().map(([sha]) => sha),
    );
  }

  /**
   * Loads one script that is known, and resolves when the engine has it, or cannot be asked now; undefined when there is nothing to load, as the
   * engine has said that it has it, or does not take it.
   */
  bring(sha: string): Promise<void> | undefined {
    const body = this.#scripts.bodyOf(sha);
    return body === undefined || this.has(sha) || this.#refused.has(sha) ? undefined : this.#bring([sha, body]);
  }

  async #bring(entry: Entry): Promise<void> {
    try {
      const client = await this.#client();
      await this.#loadInto(client, [entry], this.#presentOn(client));
    } catch (error) {
      // the request for the script finds what the engine says, or that it is gone
      if (!(error instanceof Fault)) throw error;
    }
  }

  async #load(isIdle: boolean): Promise<void> {
    const client = await this.#client();
    const present = this.#presentOn(client);
    const tried = new Set<string>(isIdle ? present : []);
    for (;;) {
      const entries = this.#scripts.entries().toReversed();
      const known = new Set(entries.map(([sha]) => sha));
      for (const sha of this.#refused) if (!known.has(sha)) this.#refused.delete(sha);
      const open = entries.filter(([sha]) => !tried.has(sha) && !this.#refused.has(sha));
      if (open.length === 0) break;
      const absent = new Set(
        await absentFrom(
          client,
          open.map(([sha]) => sha),
        ),
      );
      for (const [sha] of open) {
        tried.add(sha);
        if (!absent.has(sha)) present.add(sha);
      }
      for (const batch of batchesOf(open.filter(([sha]) => absent.has(sha))))
        await this.#loadInto(client, batch, present);
    }
    this.#completeOn = client;
  }

  #presentOn(on: EngineClient): Set<string> {
    if (this.#present?.on === on) return this.#present.shas;
    const present = { on, shas: new Set<string>() };
    this.#present = present;
    void on.closed.then(() => {
      if (this.#present === present) this.#present = undefined;
    });
    return present.shas;
  }

  async #loadInto(client: EngineClient, batch: readonly Entry[], present: Set<string>): Promise<void> {
    const commands = batch.map(([, body]) => ["SCRIPT", "LOAD", body] as const);
    const outcomes = await client.callAll(commands, "latin1");
    for (const [i, [sha]] of batch.entries()) {
      const outcome = outcomes[i];
      if (!(outcome instanceof Fault)) {
        present.add(sha);
        continue;
      }
      if (NOT_NOW.has(engineCodeOf(outcome) ?? "")) throw outcome;
      this.#refused.add(sha);
    }
  }
}

type Entry = readonly [string, Buffer];

/** An engine that says this has not looked at the script. */
const NOT_NOW: ReadonlySet<string> = new Set(["BUSY", "LOADING", "MASTERDOWN"]);
/** So many digests are asked about at once, and so much is loaded at once: other commands do not wait for long behind it. */
const ASKED_AT_ONCE = 200;
const LOADED_AT_ONCE = { scripts: 16, bytes: 128 * 1024 } as const;

/** Those of the digests that the engine does not know. */
async function absentFrom(client: EngineClient, shas: readonly string[]): Promise<readonly string[]> {
  const absent: string[] = [];
  for (let at = 0; at < shas.length; at += ASKED_AT_ONCE) {
    const asked = shas.slice(at, at + ASKED_AT_ONCE);
    const exists = await client.call("SCRIPT", "EXISTS", ...asked);
    if (!Array.isArray(exists)) throw new Error("the engine did not say which scripts it has");
    for (const each of asked.filter((_, i) => exists[i] !== 1)) absent.push(each);
  }
  return absent;
}

function* batchesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    batch.push(entry);
    bytes += entry[1].length;
    if (batch.length < LOADED_AT_ONCE.scripts && bytes < LOADED_AT_ONCE.bytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
