import { createHash } from "node:crypto";

/** Bounds of what is remembered; the least recently used scripts go first. */
const SCRIPT_LIMITS = { scripts: 1000, bytes: 16 * 2 ** 20 } as const;

/**
 * Bodies of the scripts that clients of one database have loaded. Engines do not replicate them: they must be loaded into
 * a new primary, or EVALSHA fails there.
 */
export class ScriptCache {
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;

  /** Remembers a body as most recently used. */
  add(body: Buffer): void {
    const sha = createHash("sha1").update(body).digest("hex");
    const known = this.#bodies.get(sha);
    if (known === undefined) this.#bytes += body.length;
    this.#bodies.delete(sha);
    this.#bodies.set(sha, known ?? Buffer.from(body));
    this.#evict();
  }

  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }

  /** All scripts by their SHA-1 digest, the least recently used first. */
  entries(): readonly (readonly [string, Buffer])[] {
    return [...this.#bodies];
  }

  #evict(): void {
    for (const [sha, body] of this.#bodies) {
      if (this.#bodies.size <= SCRIPT_LIMITS.scripts && this.#bytes <= SCRIPT_LIMITS.bytes) return;
      this.#bodies.delete(sha);
      this.#bytes -= body.length;
    }
  }
}
