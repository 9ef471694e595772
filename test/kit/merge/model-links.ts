/** Links between sites, each named "from>to", with the operations on their way. */
export class ModelLinks {
  readonly #queues = new Map<string, Uint8Array[]>();
  readonly #cut = new Set<string>();
  /** Links whose ends have to say first what they have. */
  readonly #broken = new Set<string>();

  get names(): readonly string[] {
    return [...this.#queues.keys()];
  }

  /** Both ways between two sites. */
  add(id: number, other: number): void {
    for (const link of [`${id}>${other}`, `${other}>${id}`]) this.#queues.set(link, []);
  }

  /** Links lose nothing while they are cut: what is sent comes later. */
  cut(link: string, isCut: boolean): void {
    if (isCut) this.#cut.add(link);
    else this.#cut.delete(link);
  }

  isCut(link: string): boolean {
    return this.#cut.has(link);
  }

  heal(): void {
    this.#cut.clear();
  }

  /** What a site sends to all others. */
  send(from: number, bytes: Uint8Array): void {
    for (const [link, queue] of this.#queues) if (link.startsWith(`${from}>`)) queue.push(bytes);
  }

  /** Instead of what is on its way. */
  put(link: string, queue: Uint8Array[]): void {
    this.#queues.set(link, queue);
  }

  /** The oldest that is on its way; `stays`: it will come once more. */
  take(link: string, stays: boolean): Uint8Array | undefined {
    const queue = this.#queues.get(link) ?? [];
    return stays ? queue[0] : queue.shift();
  }

  /** Nothing comes over the links of a site any more before their ends have said what they have. */
  break(id: number): void {
    for (const link of this.names) {
      if (!link.split(">").includes(String(id))) continue;
      this.#queues.set(link, []);
      this.#broken.add(link);
    }
  }

  /** True once for a link that was broken. */
  mend(link: string): boolean {
    return this.#broken.delete(link);
  }
}
