import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { evenSlots } from "../../../src/core/slots/shard-slots.ts";
import { slotOf } from "../../../src/core/slots/slot.ts";
import { slotTable, type SlotTable } from "../../../src/core/slots/slot-table.ts";
import type { Arg } from "../../../src/ports/resp/encode.ts";
import type { EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import type { TestEngine } from "../engines/engine.ts";

/** A client of a database of several shards with even slots, without a proxy: it finds the shard of each key itself. */
class SlotClient {
  readonly #table: SlotTable;
  readonly #shards: readonly EngineClient[];

  private constructor(table: SlotTable, shards: readonly EngineClient[]) {
    this.#table = table;
    this.#shards = shards;
  }

  static async connect(engines: readonly TestEngine[]): Promise<SlotClient> {
    const table = slotTable(evenSlots(engines.length));
    assert.ok(table !== undefined);
    return new SlotClient(table, await Promise.all(engines.map((engine) => engine.connect())));
  }

  /** All at once, at the shard of that key. */
  async all(key: string, commands: readonly (readonly Arg[])[]): Promise<readonly Reply[]> {
    const shard = this.#shards[this.#table[slotOf(Buffer.from(key))] ?? 0];
    const outcomes = (await shard?.callAll(commands, "utf8")) ?? [];
    return outcomes.map((outcome) => {
      if (outcome instanceof Error) throw outcome;
      return outcome;
    });
  }

  async call(name: string, key: string, ...args: readonly Arg[]): Promise<Reply> {
    const [reply] = await this.all(key, [[name, key, ...args]]);
    return reply ?? null;
  }

  close(): void {
    for (const shard of this.#shards) shard.close();
  }
}

/** What a client has written and been answered. */
interface Known {
  /** Counters. */
  readonly counts: Map<string, number>;
  /** Lengths of lists. */
  readonly lengths: Map<string, number>;
}

const KEYS = 40;

/** Clients that write all the time, each its own keys, and know what must be there. */
export class SlotClients implements AsyncDisposable {
  readonly #known: readonly Known[];
  #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(clients: number) {
    this.#known = Array.from({ length: clients }, () => ({ counts: new Map(), lengths: new Map() }));
  }

  /** Begins to write at these engines. */
  begin(engines: readonly TestEngine[]): void {
    this.#stop = new AbortController();
    this.#running = Promise.all(this.#known.map((known, at) => run(at, known, { engines, signal: this.#stop.signal })));
    this.#running.catch(() => undefined); // `stop` has the failure
  }

  /** No request is on its way when it resolves; rejects with what a client was answered wrongly. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Requests that were answered. */
  get requests(): number {
    return this.#known.reduce((sum, { counts }) => sum + [...counts.values()].reduce((a, b) => a + b, 0), 0);
  }

  /** Fails unless these engines have what was acknowledged. */
  async assertThere(engines: readonly TestEngine[]): Promise<void> {
    const client = await SlotClient.connect(engines);
    for (const { counts, lengths } of this.#known) {
      for (const [key, count] of counts) assert.equal(await client.call("GET", key), String(count), key);
      for (const [key, length] of lengths) assert.equal(await client.call("LLEN", key), length, key);
    }
    client.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => undefined);
  }
}

interface RunOptions {
  readonly engines: readonly TestEngine[];
  readonly signal: AbortSignal;
}

async function run(number: number, known: Known, { engines, signal }: RunOptions): Promise<void> {
  const client = await SlotClient.connect(engines);
  try {
    for (let turn = 0; !signal.aborted; turn++) {
      const tag = `{${number}:${turn % KEYS}}`;
      await write(client, known, { tag, turn });
      await sleep(1);
    }
  } finally {
    client.close();
  }
}

/** One turn of a client: of each kind of write in turn, all with keys of one slot. */
async function write(
  client: SlotClient,
  { counts, lengths }: Known,
  { tag, turn }: { readonly tag: string; readonly turn: number },
): Promise<void> {
  const [count, list] = [`${tag}count`, `${tag}list`];
  assert.equal(await client.call("INCR", count), (counts.get(count) ?? 0) + 1, count);
  counts.set(count, (counts.get(count) ?? 0) + 1);
  switch (turn % 8) {
    case 0:
      await client.all(tag, [["MULTI"], ["INCR", count], ["RPUSH", list, turn], ["EXEC"]]);
      counts.set(count, (counts.get(count) ?? 0) + 1);
      lengths.set(list, (lengths.get(list) ?? 0) + 1);
      return;
    case 1:
      await client.all(tag, [["EVAL", ADD_BOTH, 2, count, list]]);
      counts.set(count, (counts.get(count) ?? 0) + 1);
      lengths.set(list, (lengths.get(list) ?? 0) + 1);
      return;
    case 2:
      await client.all(tag, [
        ["SET", `${tag}gone`, turn, "PX", 5 + (turn % 300)],
        ["SET", `${tag}later`, turn, "EX", 1_000],
      ]);
      return;
    case 3:
      // a counter that expires is wrong for ever where it expires too early or too late
      await client.all(tag, [
        ["INCR", `${tag}short`],
        ["PEXPIRE", `${tag}short`, 20, "NX"],
      ]);
      return;
    case 4:
      await client.all(tag, [
        ["SET", `${tag}from`, turn],
        ["RENAME", `${tag}from`, `${tag}to`],
      ]);
      return;
    case 5:
      if (turn % 40 === 5) await client.call("SET", `${tag}large`, "z".repeat(1_500_000 + turn));
      return;
    case 6:
      await client.all(tag, [
        ["HSET", `${tag}hash`, turn % 50, turn],
        ["SADD", `${tag}set`, turn],
        ["SPOP", `${tag}set`],
      ]);
      return;
    default:
      await client.all(tag, [
        ["ZADD", `${tag}sorted`, turn, turn % 30],
        ["XADD", `${tag}stream`, "MAXLEN", "20", "*", "a", turn],
        ["DEL", `${tag}to`],
      ]);
  }
}

const ADD_BOTH = "redis.call('INCR', KEYS[1]) return redis.call('RPUSH', KEYS[2], 1)";
