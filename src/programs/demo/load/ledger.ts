/** The result of comparing what was acknowledged with what the database has. */
export interface LedgerVerdict {
  readonly acknowledgedWrites: number;
  /** Acknowledged writes that are missing or hold another value. */
  readonly lostWrites: number;
  readonly acknowledgedIncrements: number;
  /** Counters' total minus acknowledged increments: negative means lost, positive means applied twice. */
  readonly incrementDrift: number;
  /** Reads that did not return this client's own last acknowledged write. */
  readonly staleReads: number;
}

/** What the ledger needs of a client library. */
export interface LedgerClient {
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
  incr(key: string): Promise<number>;
  mget(keys: string[]): Promise<(string | null)[]>;
}

/** The ledger of one client: unique writes, increments and reads of its own writes. */
export interface Ledger {
  /** One request, in turn a unique write, a read of it, an increment; rejects when the client library does. */
  step(): Promise<void>;
  /** Reads everything back; call it once no step is running. */
  verify(): Promise<LedgerVerdict>;
}

const BATCH = 500;

/** The ledger of client `owner`; two owners never share a key. */
export function openLedger(client: LedgerClient, owner: string): Ledger {
  return new ClientLedger(client, owner);
}

class ClientLedger implements Ledger {
  readonly #client: LedgerClient;
  readonly #owner: string;
  readonly #acknowledged: number[] = [];
  #attempts = 0;
  #increments = 0;
  #staleReads = 0;
  #turn = 0;

  constructor(client: LedgerClient, owner: string) {
    this.#client = client;
    this.#owner = owner;
  }

  step(): Promise<void> {
    const turn = this.#turn % 3;
    this.#turn += 1;
    if (turn === 0) return this.#write();
    return turn === 1 ? this.#read() : this.#increment();
  }

  async verify(): Promise<LedgerVerdict> {
    let lostWrites = 0;
    for (let at = 0; at < this.#acknowledged.length; at += BATCH) {
      const batch = this.#acknowledged.slice(at, at + BATCH);
      const found = await this.#client.mget(batch.map((n) => this.#key(n)));
      lostWrites += batch.filter((n, index) => found[index] !== this.#value(n)).length;
    }
    const counted = Number((await this.#client.get(this.#counter())) ?? 0);
    return {
      acknowledgedWrites: this.#acknowledged.length,
      lostWrites,
      acknowledgedIncrements: this.#increments,
      incrementDrift: counted - this.#increments,
      staleReads: this.#staleReads,
    };
  }

  async #write(): Promise<void> {
    this.#attempts += 1;
    const n = this.#attempts;
    await this.#client.set(this.#key(n), this.#value(n));
    this.#acknowledged.push(n);
  }

  async #read(): Promise<void> {
    const last = this.#acknowledged.at(-1);
    if (last === undefined) return this.#write();
    if ((await this.#client.get(this.#key(last))) !== this.#value(last)) this.#staleReads += 1;
  }

  async #increment(): Promise<void> {
    await this.#client.incr(this.#counter());
    this.#increments += 1;
  }

  #key(n: number): string {
    return `ledger:${this.#owner}:${n}`;
  }

  #value(n: number): string {
    return `${this.#owner}/${n}`;
  }

  #counter(): string {
    return `counter:${this.#owner}`;
  }
}

/** The sum over all clients. */
export function sumVerdicts(verdicts: readonly LedgerVerdict[]): LedgerVerdict {
  const sum = (pick: (verdict: LedgerVerdict) => number): number => verdicts.reduce((all, one) => all + pick(one), 0);
  return {
    acknowledgedWrites: sum((v) => v.acknowledgedWrites),
    lostWrites: sum((v) => v.lostWrites),
    acknowledgedIncrements: sum((v) => v.acknowledgedIncrements),
    incrementDrift: sum((v) => v.incrementDrift),
    staleReads: sum((v) => v.staleReads),
  };
}
