import { createHash } from "node:crypto";
import type { MemoryBudget, MemoryHolder } from "../limits/memory-budget.ts";

/** Bounds of what is remembered for one database; the least recently used scripts go first. */
const SCRIPT_LIMITS = { scripts: 1000, bytes: 16 * 2 ** 20 } as const;

/**
 * Bodies of the scripts that clients of one database have loaded. Engines do not replicate them: they must be loaded into
 * a new primary, or EVALSHA fails there.
 */
export class ScriptCache implements MemoryHolder {
  readonly #memory: MemoryBudget;
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;

  constructor(memory: MemoryBudget) {
    this.#memory = memory;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  /** Remembers a body as most recently used. */
  add(body: Buffer): void {
    const sha = createHash("sha1").update(body).digest("hex");
    const known = this.#bodies.get(sha);
    if (known === undefined) this.#bytes += body.length;
    this.#bodies.delete(sha);
    this.#bodies.set(sha, known ?? Buffer.from(body));
    this.#evict(SCRIPT_LIMITS.bytes);
    if (known === undefined) this.#memory.note(this);
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
    return [...this.#bodies];
  }

  #evict(mostBytes: number): void {
    for (const [sha, body] of this.#bodies) {
      if (this.#bodies.size <= SCRIPT_LIMITS.scripts && this.#bytes <= mostBytes) return;
      this.#bodies.delete(sha);
      this.#bytes -= body.length;
    }
  }
}
