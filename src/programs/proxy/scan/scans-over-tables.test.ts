import assert from "node:assert/strict";
import { test } from "node:test";
import { Reshaped } from "../../../../test/kit/sharded/reshaped.ts";
import type { RawClient } from "../../../../test/kit/engines/raw-client.ts";

const KEYS = 400;

test("a scan that began before the shards change sees each key, wherever it stood and whichever proxy goes on with it", async () => {
  await using database = await Reshaped.start(1, { proxies: 2 });
  const clients = await Promise.all([database.client(0), database.client(1)]);
  const [client] = clients;
  assert.ok(client !== undefined);
  for (let number = 0; number < KEYS; number++) client.send("SET", `key:${number}`, "");
  await client.readMany(KEYS);
  for (let number = 0; number < KEYS; number++) client.send("HSET", "large", `field:${number}`, "x".repeat(100));
  await client.readMany(KEYS);
  for (const shards of [4, ["0-4095", "4096-6000", "6001-12287", "12288-16383"], 3, 1]) {
    // one for each page, of which there are some at each shard, and at each beginning of a shard
    const scans: Scan[] = [];
    const first = new Scan("SCAN", []);
    for (let page = 0; page < 30 && !first.isOver; page++) {
      await first.goOn(client);
      scans.push(first.fork());
    }
    const fields = new Scan("HSCAN", ["large"]);
    await fields.goOn(client);
    await database.reshape(shards);
    for (const [at, scan] of scans.entries()) {
      while (!scan.isOver) await scan.goOn(clients[at % 2] ?? client);
      assert.equal(scan.seen.size, KEYS + 1, `${String(shards)} shards, behind page ${at}`);
    }
    while (!fields.isOver) await fields.goOn(client);
    assert.equal([...fields.seen].filter((field) => field.startsWith("field:")).length, KEYS);
  }
  for (const one of clients) one.close();
});

/** A scan of a client, and what it has seen. */
class Scan {
  readonly seen: Set<string>;
  readonly #verb: string;
  readonly #words: readonly string[];
  #cursor = "0";
  #pages = 0;

  constructor(verb: string, words: readonly string[], seen: Iterable<string> = []) {
    this.#verb = verb;
    this.#words = words;
    this.seen = new Set(seen);
  }

  get isOver(): boolean {
    return this.#pages > 0 && this.#cursor === "0";
  }

  /** Another one that stands where this one does. */
  fork(): Scan {
    const other = new Scan(this.#verb, this.#words, this.seen);
    other.#cursor = this.#cursor;
    other.#pages = this.#pages;
    return other;
  }

  async goOn(client: RawClient): Promise<void> {
    const found = await client.ask(this.#verb, ...this.#words, this.#cursor, "COUNT", 20);
    assert.ok(Array.isArray(found), String(found));
    const [cursor, elements] = found;
    this.#cursor = String(cursor);
    this.#pages++;
    for (const element of Array.isArray(elements) ? elements : []) this.seen.add(String(element));
  }
}
