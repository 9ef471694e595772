/** Links between sites, each named "from>to", with what is on its way: operations, and parts of summaries. */
export class ModelLinks {
  readonly #queues = new Map<string, Message[]>();
  readonly #cut = new Set<string>();
  readonly #held = new Set<string>();
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

  /** What a site sends to all others, but not where a summary has to come first. */
  send(from: number, bytes: Uint8Array): void {
    for (const [link, queue] of this.#queues)
      if (link.startsWith(`${from}>`) && !this.#held.has(link)) queue.push(bytes);
  }

  /** Instead of what is on its way. */
  put(link: string, queue: Message[]): void {
    this.#held.delete(link);
    this.#queues.set(link, queue);
  }

  /** Nothing is on its way until the next `put`. */
  hold(link: string): void {
    this.put(link, []);
    this.#held.add(link);
  }

  /** The oldest that is on its way; `stays`: it will come once more. */
  take(link: string, stays: boolean): Message | undefined {
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

  /** The power of a site has gone: what it has sent may still arrive, and nothing arrives there. */
  stopSending(id: number): void {
    for (const link of this.names) {
      const [from, to] = link.split(">");
      if (to === String(id) || (from === String(id) && this.#broken.has(link))) this.again(link);
    }
  }

  /** What is on its way is lost, until the ends have said what they have: false, since nothing has moved. */
  again(link: string): false {
    this.#queues.set(link, []);
    this.#broken.add(link);
    return false;
  }

  /** True once for a link that was broken. */
  mend(link: string): boolean {
    return this.#broken.delete(link);
  }
}

/** An operation, or all parts of a summary. */
type Message = Uint8Array | readonly Uint8Array[];
