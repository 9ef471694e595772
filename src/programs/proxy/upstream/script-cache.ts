import { createHash } from "node:crypto";
import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";

/** Bounds of what is remembered for one database; the least recently used scripts go first. */
const SCRIPT_LIMITS = { scripts: 1000, bytes: 16 * 2 ** 20 } as const;

/**
 * Bodies of the scripts that clients of one database have loaded, as far as an engine has taken them. Engines do not replicate
 * them: they must be loaded into a new primary, or EVALSHA fails there.
 */
export class ScriptCache implements MemoryHolder {
  readonly #memory: MemoryBudget;
  readonly #bodies = new Map<string, RememberedScript>();
  #bytes = 0;
  #uses = 0;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** Grows with each use of a script. */
  get uses(): number {
    return this.#uses;
  }

  /** Remembers a body that an engine has taken, as most recently used; its digest when it was not known. */
  add(body: Buffer): string | undefined {
    const sha = shaOf(body);
    if (this.touch(sha)) return undefined;
    this.#bytes += body.length;
    this.#bodies.set(sha, { body: Buffer.from(body), usedAt: ++this.#uses });
    this.#evict(SCRIPT_LIMITS.bytes);
    this.#memory.note(this);
    return sha;
  }

  /** The body of a script that is known. */
  bodyOf(sha: string): Buffer | undefined {
    return this.#bodies.get(sha)?.body;
  }

  /** Remembers a body, unless another one must be forgotten for it. */
  addSpare(body: Buffer): void {
    const hasRoom = this.#bodies.size < SCRIPT_LIMITS.scripts && this.#bytes + body.length <= SCRIPT_LIMITS.bytes;
    if (hasRoom && !this.#bodies.has(shaOf(body))) this.add(body);
  }

  /** A script was used; false when it is not known. */
  touch(sha: string): boolean {
    const known = this.#bodies.get(sha);
    if (known === undefined) return false;
    this.#bodies.delete(sha);
    this.#bodies.set(sha, { ...known, usedAt: ++this.#uses });
    return true;
  }

  /** Forgets a script, unless it was used after the count of uses was `uses`. */
  forget(sha: string, uses: number): void {
    const known = this.#bodies.get(sha);
    if (known === undefined || known.usedAt > uses) return;
    this.#delete(sha, known);
    this.#memory.note(this);
  }

  /** Forgets the scripts that were not used after the count of uses was `uses`. */
  forgetUntil(uses: number): void {
    for (const [sha, known] of this.#bodies) if (known.usedAt <= uses) this.#delete(sha, known);
    this.#memory.note(this);
  }

  /** Forgets the half that was not used for longest. */
  relieve(): void {
    this.#evict(this.#bytes / 2);
    this.#memory.note(this);
  }

  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
    this.#memory.forget(this);
  }

  /** All scripts by their SHA-1 digest, the least recently used first. */
  entries(): readonly (readonly [string, Buffer])[] {
    return [...this.#bodies].map(([sha, { body }]) => [sha, body]);
  }

  #evict(mostBytes: number): void {
    for (const [sha, known] of this.#bodies) {
      if (this.#bodies.size <= SCRIPT_LIMITS.scripts && this.#bytes <= mostBytes) return;
      this.#delete(sha, known);
    }
  }

  #delete(sha: string, { body }: RememberedScript): void {
    this.#bodies.delete(sha);
    this.#bytes -= body.length;
  }
}

/** Where what engines say of scripts is remembered. */
export interface RememberedScripts {
  /** An engine has taken it. */
  add(body: Buffer): unknown;
  /** An engine has run the script with that digest. */
  touch(sha: string): unknown;
  /** An engine has forgotten all. */
  clear(): void;
  /** Engines are about to forget all. What it gives is called when they have: what was known before is forgotten. */
  beginFlush(): () => void;
  /** The body of the script with that digest is known, so that any engine can be given it. */
  knows(sha: string): boolean;
  /** The wait after which the engine is asked again, until its NOSCRIPT of this digest is the truth; undefined when no wait is needed. */
  awaits(sha: string): Promise<void> | undefined;
}

/** The digest by which EVALSHA names a script. */
export function shaOf(body: Buffer): string {
  return createHash("sha1").update(body).digest("hex");
}

interface RememberedScript {
  readonly body: Buffer;
  readonly usedAt: number;
}
