import type { Dice } from "../../world/chaos.ts";
import type { Asker, Kind } from "../stories/asker.ts";
import { OUT_OF_MEMORY } from "../stories/memory.ts";

/** So many keys are more than fit into the database. */
const KEYS = 190;
const BYTES = 80_000;
const LONG_MS = "3600000";

/** Lives with a memory that is full: fills it, and then reads, writes and deletes keys with a time and without. */
export function liveWithFullMemory(): Kind {
  /** Stories whose keys may still take memory. */
  const before = new Set<Asker>();
  return async (asker) => {
    for (const earlier of before) {
      await asker.ask("UNLINK", ...Array.from({ length: KEYS }, (_, at) => keyAt(earlier, at)));
      before.delete(earlier);
    }
    before.add(asker);
    await live(asker);
  };
}

async function live(asker: Asker): Promise<void> {
  const { dice, ask, isOver } = asker;
  let isFull = false;
  for (let at = 0; at < KEYS && !isFull; at += 1) {
    const reply = await ask(...written(keyAt(asker, at), dice));
    isFull = reply !== null && typeof reply === "object" && "error" in reply && OUT_OF_MEMORY.test(reply.error);
  }
  while (!isOver()) {
    const key = keyAt(asker, Math.floor(dice() * KEYS));
    await ask(...(OF_KEYS[Math.floor(dice() * OF_KEYS.length)]?.(key, dice) ?? []));
  }
}

function keyAt({ name }: Asker, at: number): string {
  return `${name}:${at}`;
}

/** A few long texts: what is kept of a client is small. */
const TEXTS = Array.from({ length: 10 }, (_, digit) => String(digit).repeat(BYTES));

/** Half of the keys have a time. */
function written(key: string, dice: Dice): readonly string[] {
  const text = TEXTS[Math.floor(dice() * TEXTS.length)] ?? "";
  return dice() < 0.5 ? ["SET", key, text] : ["SET", key, text, "PX", LONG_MS];
}

const OF_KEYS: readonly ((key: string, dice: Dice) => readonly string[])[] = [
  written,
  written,
  written,
  (key) => ["GET", key],
  (key) => ["STRLEN", key],
  (key) => ["STRLEN", key],
  (key) => ["EXISTS", key],
  (key) => ["APPEND", key, "1"],
  (key) => ["PEXPIRE", key, LONG_MS],
  (key) => ["PERSIST", key],
  (key) => ["DEL", key],
];
