import type { Dice } from "../world/chaos.ts";

/** Bytes nearly like these: changed, cut short, doubled, or with extremes where a reader expects lengths. */
export function mutatedBytes(dice: Dice, bytes: Buffer): Buffer {
  let result: Buffer = Buffer.from(bytes);
  for (let edit = 0; edit <= dice() * 4; edit += 1) result = edited(dice, result);
  return result;
}

const LENGTHS = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff];

function edited(dice: Dice, bytes: Buffer): Buffer {
  const at = Math.floor(dice() * bytes.length);
  const to = Math.min(bytes.length, at + 1 + Math.floor(dice() * 64));
  switch (Math.floor(dice() * 6)) {
    case 0: {
      bytes[at] = Math.floor(dice() * 256);
      return bytes;
    }
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]); // a piece twice
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from("\0../x💾\n"), bytes.subarray(at)]);
    default: {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(LENGTHS[Math.floor(dice() * LENGTHS.length)] ?? 0);
      return Buffer.concat([bytes.subarray(0, at), length, bytes.subarray(at + 4)]);
    }
  }
}

const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, 70_000, "", "x", "8.0", "9".repeat(200), "💾\0"],
  ...[[], {}, [[]], { __proto__: null }, [null], ["x"]],
];

/** The value with some part of it replaced, left out, or added. */
export function mutatedJson(dice: Dice, value: unknown): unknown {
  if (typeof value !== "object" || value === null || dice() < 0.15) return ODD[Math.floor(dice() * ODD.length)];
  const entries = Object.entries(value);
  const at = Math.floor(dice() * (entries.length + 1));
  const changed = entries.flatMap(([key, part], index): [string, unknown][] => {
    if (index !== at) return [[key, part]];
    return dice() < 0.2 ? [] : [[key, mutatedJson(dice, part)]];
  });
  if (Array.isArray(value)) return changed.map(([, part]) => part);
  if (at === entries.length) changed.push(["constructor", ODD[Math.floor(dice() * ODD.length)]]);
  return Object.fromEntries(changed);
}
