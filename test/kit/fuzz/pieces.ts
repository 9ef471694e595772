import type { Dice } from "../world/chaos.ts";

/** A few bytes each: a header, or a part of one. */
const CRUMB = 8;
const PIECE = 20_000;

/** The bytes as networks cut them: all at once, or in crumbs and larger pieces, so that any place may be an end and few pieces are sent. */
export function piecesOf(bytes: Buffer, dice: Dice): readonly Buffer[] {
  if (dice() < 0.6) return [bytes];
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + Math.floor(dice() * (dice() < 0.8 ? CRUMB : PIECE));
    pieces.push(bytes.subarray(from, to));
    from = to;
  }
  return pieces;
}
