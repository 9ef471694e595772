/** A key of a numbered database. */
export interface TouchedKey {
  readonly database: number;
  readonly key: Uint8Array;
}

/** Keys whose value at a target is not that of the source: a command could not be passed on. They have to be copied again. */
export class TouchedKeys {
  readonly #keys = new Map<string, TouchedKey>();

  get size(): number {
    return this.#keys.size;
  }

  add(database: number, key: Uint8Array): void {
    this.#keys.set(nameOf(database, key), { database, key: Uint8Array.from(key) });
  }

  has(database: number, key: Uint8Array): boolean {
    return this.#keys.size > 0 && this.#keys.has(nameOf(database, key));
  }

  delete({ database, key }: TouchedKey): void {
    this.#keys.delete(nameOf(database, key));
  }

  /** So many of them. */
  some(count: number): readonly TouchedKey[] {
    return this.#keys.values().take(count).toArray();
  }
}

function nameOf(database: number, key: Uint8Array): string {
  return `${database} ${Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1")}`;
}
