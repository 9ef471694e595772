import type { Dice } from "../../world/chaos.ts";
import type { Asker } from "../stories/asker.ts";

const KEYS = 6;
const LONGEST_MS = 2_500;

/** Lives with keys that expire: sessions that are read and kept alive, limiters that count, locks that end. */
export async function liveWithExpiry({ name, dice, ask, isOver }: Asker): Promise<void> {
  while (!isOver()) {
    const key = `${name}:${Math.floor(dice() * KEYS)}`;
    for (const command of OF_KEYS[Math.floor(dice() * OF_KEYS.length)]?.(key, dice) ?? []) await ask(...command);
  }
}

const ms = (dice: Dice): string => String(20 + Math.floor(dice() * LONGEST_MS));

/** What is asked one after the other. */
const OF_KEYS: readonly ((key: string, dice: Dice) => readonly (readonly string[])[])[] = [
  (key, dice) => [["SET", key, String(Math.floor(dice() * 1_000)), "PX", ms(dice)]],
  (key, dice) => [["SET", key, String(Math.floor(dice() * 1_000)), "NX", "PX", ms(dice)]],
  (key) => [["GET", key]],
  (key) => [
    ["GET", key],
    ["PTTL", key],
  ],
  (key, dice) => [["GETEX", key, "PX", ms(dice)]],
  (key) => [
    ["INCRBY", key, "1"],
    ["PTTL", key],
  ],
  (key, dice) => [["PEXPIRE", key, ms(dice)]],
  (key) => [
    ["PERSIST", key],
    ["PTTL", key],
  ],
  (key) => [
    ["APPEND", key, "1"],
    ["STRLEN", key],
  ],
  (key) => [["GETDEL", key]],
  (key) => [
    ["EXISTS", key],
    ["TYPE", key],
  ],
  (key) => [["HSET", key, "a", "1"]],
  (key) => [["DEL", key]],
];
