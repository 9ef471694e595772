import assert from "node:assert/strict";
import { destinationsOf, destinationOfKey } from "../../../src/core/slots/passage.ts";
import type { EngineClient } from "../../../src/ports/resp/engine-client.ts";
import type { Reply } from "../../../src/ports/resp/reply.ts";
import type { MovedShards } from "./moved-shards.ts";

/** What an engine says of a key: its value by its digest, when it expires, and for some types what the digest leaves out. */
type Content = string;

const DATABASES = [0, 3];
const GONE = -2;
const SOON_MS = 300_000;

/**
 * Fails unless each key of the sources is at the target of its slot, with the same value and the same time of expiry, and nothing else is there; gives
 * their number. `snapshot`: also with what engines leave out of their streams.
 */
export async function assertMoved(
  { sources, targets, slots }: MovedShards,
  by: "snapshot" | "stream",
): Promise<number> {
  const before = await Promise.all(sources.map(async (source) => keysOf(await source.connect(), by)));
  const after = await Promise.all(targets.map(async (target) => keysOf(await target.connect(), by)));
  const expected = targets.map(() => new Map<string, Content>());
  for (const [at, keys] of before.entries()) {
    const destinations = destinationsOf(slots.before[at] ?? [], slots.after);
    for (const [name, contents] of keys) {
      const target = destinationOfKey(Buffer.from(name.slice(2), "latin1"), destinations);
      if (target !== undefined) expected[target]?.set(name, contents);
    }
  }
  for (const [at, keys] of expected.entries()) {
    const found = after[at] ?? new Map<string, Content>();
    const differing = [...new Set([...keys.keys(), ...found.keys()])].filter(
      (name) => keys.get(name) !== found.get(name),
    );
    assert.deepEqual(
      differing.slice(0, 3).map((name) => [name, keys.get(name)?.slice(0, 2_000), found.get(name)?.slice(0, 2_000)]),
      [],
      `${differing.length} keys of target ${at} differ`,
    );
  }
  return expected.reduce((sum, { size }) => sum + size, 0);
}

/** All keys of an engine, by their database and name. */
async function keysOf(client: EngineClient, by: "snapshot" | "stream"): Promise<ReadonlyMap<string, Content>> {
  const contents = new Map<string, Content>();
  for (const database of DATABASES) {
    await client.call("SELECT", database);
    let cursor = "0";
    do {
      const [next, names] = (await client.call("SCAN", cursor, "COUNT", 1_000)) as [string, string[]];
      cursor = next;
      for (const name of names) {
        const what = await contentOf(client, name);
        if (what !== undefined)
          contents.set(`${database} ${Buffer.from(name).toString("latin1")}`, withoutUnstreamed(what, by));
      }
    } while (cursor !== "0");
  }
  client.close();
  return contents;
}

/** Undefined when it expires while keys are compared: then one engine still has it, and another has not. */
async function contentOf(client: EngineClient, key: string): Promise<Content | undefined> {
  const [type, digest, expires] = await client.callAll(
    [
      ["TYPE", key],
      ["DEBUG", "DIGEST-VALUE", key],
      ["PEXPIRETIME", key],
    ],
    "utf8",
  );
  if (Number(expires) === GONE || (Number(expires) > 0 && Number(expires) < Date.now() + SOON_MS)) return undefined;
  const more: readonly Reply[] =
    type === "stream"
      ? [await client.call("XINFO", "STREAM", key, "FULL")]
      : type === "hash"
        ? await fieldsOf(client, key)
        : [];
  return JSON.stringify([type, digest, expires, ...more]);
}

/** When each field expires, where the engine knows it. */
async function fieldsOf(client: EngineClient, key: string): Promise<readonly Reply[]> {
  const fields = (await client.call("HKEYS", key)) as string[];
  const [times] = await client.callAll([["HPEXPIRETIME", key, "FIELDS", fields.length, ...fields]], "utf8");
  if (!Array.isArray(times)) return [];
  const expiring = fields.map((field, at) => `${field} ${String((times as Reply[])[at])}`);
  return expiring.filter((each) => !each.endsWith(" -1")).sort();
}

/** Without what a replica does not get by the stream either: when consumers were seen, and how many entries a group has read. */
function withoutUnstreamed(contents: Content, by: "snapshot" | "stream"): Content {
  return by === "snapshot"
    ? contents
    : contents.replace(/"(?:seen-time|active-time|entries-read|lag)",(?:\d+|null),?/g, "");
}
