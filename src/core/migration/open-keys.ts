/** Keys of which it is not known that both sides have the same: each is there once, the one that was added first comes first. */
export class OpenKeys {
  readonly #most: number;
  readonly #keys = new Set<string>();

  /** So many fill it; who adds one then has waited before. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#keys.size;
  }

  get isFull(): boolean {
    return this.#keys.size >= this.#most;
  }

  add(database: number, key: string): void {
    this.#keys.add(`${database} ${key}`);
  }

  /** Takes the first ones out, all of one numbered database. */
  take(count: number): { readonly database: number; readonly keys: readonly string[] } | undefined {
    const keys: string[] = [];
    let database = -1;
    for (const each of this.#keys) {
      const at = each.indexOf(" ");
      const of = Number(each.slice(0, at));
      if (keys.length > 0 && of !== database) break;
      database = of;
      keys.push(each.slice(at + 1));
      this.#keys.delete(each);
      if (keys.length === count) break;
    }
    return keys.length === 0 ? undefined : { database, keys };
  }
}
