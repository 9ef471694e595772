/** Outcome of comparing what was acknowledged with what the database holds. */
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

/** What the ledger asks of a client library. */
export interface LedgerClient {
  set(key: string, value: string): Promise<unknown>;
  get(key: string): Promise<string | null>;
  incr(key: string): Promise<number>;
  mget(keys: string[]): Promise<(string | null)[]>;
}

/** One client's book: unique writes, increments and reads of its own writes. */
export interface Ledger {
  /** One request, in turn a unique write, a read of it, an increment; rejects when the client library does. */
  step(): Promise<void>;
  /** Reads everything back; call it once no step is running. */
  verify(): Promise<LedgerVerdict>;
}

const BATCH = 500;

/** Opens the book of client `owner`; two owners never share a key. */
export function openLedger(client: LedgerClient, owner: string): Ledger {
  const key = (n: number): string => `ledger:${owner}:${n}`;
  const value = (n: number): string => `${owner}/${n}`;
  const acknowledged: number[] = [];
  let attempts = 0;
  let increments = 0;
  let staleReads = 0;
  let turn = 0;

  const write = async (): Promise<void> => {
    attempts += 1;
    const n = attempts;
    await client.set(key(n), value(n));
    acknowledged.push(n);
  };
  const read = async (): Promise<void> => {
    const last = acknowledged.at(-1);
    if (last === undefined) return write();
    if ((await client.get(key(last))) !== value(last)) staleReads += 1;
  };
  const increment = async (): Promise<void> => {
    await client.incr(`counter:${owner}`);
    increments += 1;
  };

  return {
    step: () => {
      const request = [write, read, increment][turn % 3] ?? write;
      turn += 1;
      return request();
    },
    verify: async () => {
      let lostWrites = 0;
      for (let at = 0; at < acknowledged.length; at += BATCH) {
        const batch = acknowledged.slice(at, at + BATCH);
        const found = await client.mget(batch.map(key));
        lostWrites += batch.filter((n, index) => found[index] !== value(n)).length;
      }
      const counted = Number((await client.get(`counter:${owner}`)) ?? 0);
      return {
        acknowledgedWrites: acknowledged.length,
        lostWrites,
        acknowledgedIncrements: increments,
        incrementDrift: counted - increments,
        staleReads,
      };
    },
  };
}

/** The books of all clients as one. */
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
