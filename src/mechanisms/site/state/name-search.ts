/** Looks for names among all of an engine; searches that begin while one is under way are one search after it. */
export class NameSearch {
  readonly #all: () => AsyncIterable<readonly string[]>;
  #waiting: Search[] = [];
  #isRunning = false;

  /** `all`: every name that the engine holds all the while, some at a time. */
  constructor(all: () => AsyncIterable<readonly string[]>) {
    this.#all = all;
  }

  /** The names that are wanted, up to a limit: they are sent to another site. Rejects when the engine does not say all its names. */
  find(isWanted: (key: string) => boolean): Promise<readonly string[]> {
    const search = { isWanted, names: new Set<string>(), bytes: 0, ...Promise.withResolvers<readonly string[]>() };
    this.#waiting.push(search);
    if (!this.#isRunning) void this.#run();
    return search.promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) await this.#searchFor(this.#waiting.splice(0));
    this.#isRunning = false;
  }

  async #searchFor(searches: readonly Search[]): Promise<void> {
    try {
      for await (const keys of this.#all()) for (const search of searches) take(search, keys);
      for (const { resolve, names } of searches) resolve([...names]);
    } catch (error) {
      for (const { reject } of searches) reject(error);
    }
  }
}

function take(search: Search, keys: readonly string[]): void {
  const { names, isWanted } = search;
  for (const key of keys) {
    if (names.size >= MOST_NAMES || search.bytes + key.length > MOST_BYTES || !isWanted(key)) continue;
    names.add(key);
    search.bytes += key.length;
  }
}

interface Search extends PromiseWithResolvers<readonly string[]> {
  readonly isWanted: (key: string) => boolean;
  readonly names: Set<string>;
  bytes: number;
}

/** Names of one search, and their bytes. */
const MOST_NAMES = 4_096;
const MOST_BYTES = 524_288;
