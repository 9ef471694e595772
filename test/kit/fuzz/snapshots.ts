import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Crc64 } from "../../../src/core/slots/snapshot/crc64.ts";
import { startEngine } from "../engines/engine.ts";
import { writeTypedKeys } from "../mover/typed-keys.ts";
import type { Dice } from "../world/chaos.ts";
import { mutatedBytes } from "./mutate.ts";

/** A snapshot of an engine with keys of all types, two databases and functions, and how many keys it has. */
export interface TypedSnapshot {
  readonly bytes: Buffer;
  readonly keys: number;
}

const LIBRARY = "#!lua name=fuzzed\nredis.register_function('one', function() return 1 end)\n";

/** What this engine saves that has so many keys of each type. */
export async function typedSnapshot(engine: string, each: number): Promise<TypedSnapshot> {
  const folder = await mkdtemp(join(tmpdir(), "typed-snapshot-"));
  try {
    await using source = await startEngine({ engine, args: ["--dir", folder] });
    const client = await source.connect();
    await writeTypedKeys(client, { each, isRedis8: engine.startsWith("redis-8") });
    await client.call("FUNCTION", "LOAD", LIBRARY);
    const keys = Number(await client.call("DBSIZE"));
    await client.call("SELECT", 3);
    await client.call("SET", "other", "database");
    await client.call("SAVE");
    client.close();
    return { bytes: await readFile(join(folder, "dump.rdb")), keys: keys + 1 };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Damaged on its way, or made with care to do harm; its checksum fits, or says that there is none, or does not fit. */
export function damagedSnapshot(dice: Dice, bytes: Buffer): Buffer {
  const kind = dice();
  if (kind < 0.35) return withSum(dice, mutatedBytes(dice, bytes));
  if (kind < 0.55) return withSum(dice, lying(dice, bytes));
  if (kind < 0.65) return withSum(dice, headed(dice, bytes));
  const at = dice() < 0.5 ? HEAD : Math.floor(dice() * bytes.length);
  return withSum(dice, Buffer.concat([bytes.subarray(0, at), oneOf(dice, HOSTILE), bytes.subarray(at)]));
}

/** A length where there may be one, which is not that of what follows. */
function lying(dice: Dice, bytes: Buffer): Buffer {
  const at = HEAD + Math.floor(dice() * (bytes.length - HEAD));
  const length = oneOf(dice, LENGTHS);
  return Buffer.concat([bytes.subarray(0, at), length, bytes.subarray(at + Math.floor(dice() * (length.length + 1)))]);
}

function headed(dice: Dice, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(oneOf(dice, HEADS)), bytes.subarray(HEAD)]);
}

function withSum(dice: Dice, bytes: Buffer): Buffer {
  const kind = dice();
  if (kind < 0.25 || bytes.length < SUM) return bytes;
  const body = bytes.subarray(0, -SUM);
  if (kind < 0.4) return Buffer.concat([body, Buffer.alloc(SUM)]);
  const crc = new Crc64();
  crc.add(body);
  return Buffer.concat([body, crc.sum]);
}

function oneOf<T>(dice: Dice, values: readonly [T, ...T[]]): T {
  return values[Math.floor(dice() * values.length)] ?? values[0];
}

const HEAD = 9;
const SUM = 8;
const HEADS = [
  "REDIS0012",
  "REDIS0013",
  "REDIS0080",
  "REDIS9999",
  "REDIS0001",
  "REDIS0000",
  "VALKEY080",
  "REDIS\0\0\x1b[",
  "PK\x03\x04.....",
] as const;
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");
const LENGTHS = [
  hex("00"),
  hex("3f"),
  hex("7fff"),
  hex("80 7fffffff"),
  hex("80 ffffffff"),
  hex("81 0000000100000000"),
  hex("81 7fffffffffffffff"),
  hex("81 8000000000000000"),
  hex("81 ffffffffffffffff"),
  hex("82"),
  hex("c0"),
  hex("c2"),
  hex("c3"),
  hex("c4"),
  hex("ff"),
] as const;
/** Records that no engine would have written there. */
const HOSTILE = [
  hex("fa 81 7fffffffffffffff 61"), // notes of giant lengths
  hex("fa 03 616263 80 ffffffff 61"),
  hex("fa 03 616263 03 616263"), // one that nobody knows
  hex("fb 81 7fffffffffffffff 00"), // sizes
  hex("fb 80 7fffffff 80 7fffffff"),
  hex("fe 81 7fffffffffffffff"), // a database that there is not
  hex("fe 80 7fffffff"),
  hex("f5 03 616263"), // functions that are none
  hex(`f5 ${Buffer.from([LIBRARY.length]).toString("hex")} ${Buffer.from(LIBRARY).toString("hex")}`), // twice
  hex("f5 81 7fffffffffffffff 23"),
  hex("f6 00"), // functions of a version that never was
  hex("f7 81 0123456789abcdef 02 01 00"), // data of a module
  hex("07 01 61 81 0123456789abcdef 02 01 00"),
  hex("06 01 61 81 0123456789abcdef"),
  hex("00 01 61 c3 05 80 7fffffff 0061e00000"), // what claims to unpack to 2 GiB
  hex("00 01 61 c3 05 81 7fffffffffffffff 0061e00000"),
  hex("00 c3 05 80 7fffffff 0061e00000 01 61"),
  hex("0001 61 c4 00"),
  hex("01 01 61 80 ffffffff 01 61"), // a list, a set, a hash, a sorted set of giants
  hex("02 01 61 80 7fffffff 01 61"),
  hex("02 01 61 81 7fffffffffffffff 01 61"),
  hex("04 01 61 81 7fffffffffffffff 01 61 01 61"),
  hex("05 01 61 80 ffffffff 01 61 0000000000000000"),
  hex("0a 01 61 06 0b0000000100"), // packed ones that lie
  hex("10 01 61 07 ffffffffffffff"),
  hex("12 01 61 01 02 07 070000000000ff"),
  hex("0f 01 61 80 ffffffff 10 00000000000000000000000000000000"),
  hex("15 01 61 00 00 00 00 00 00 00 00 80 ffffffff"),
  hex("18 01 61 0000000000000000 80 ffffffff"),
  hex("f9 01 f9 01 f9 01 f9 01"), // what says how a key is used, again and again
  hex("f8 81 7fffffffffffffff"),
  hex("fc ffffffffffffffff"),
  hex("fd 00000000"),
  hex("f4 00 00 00"),
  hex("1a 01 61"), // types and codes of later engines
  hex("63"),
  hex("f0"),
  hex("ff 0000000000000000"), // the end, with a checksum that says nothing
] as const;
