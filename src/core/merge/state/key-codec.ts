import type { Cell, Put, Sum } from "./cell.ts";
import { entries } from "./key-view.ts";
import { KEY_TYPES, type KeyType } from "../operations/operation.ts";
import type { Expiry, KeyState, KnownKey, Stamp } from "./key-state.ts";
import { array, flag, integer, mapCodec, optional, record, text, type Codec } from "../operations/codec.ts";
import { dotCodec, timestampCodec, untilCodec, valueCodec, vectorCodec } from "../operations/operation-codec.ts";

const written = { dot: dotCodec, at: timestampCodec, seen: vectorCodec };

const cellCodec: Codec<Cell> = mapCodec(
  record<Omit<Cell, "content">>({
    base: flag,
    puts: mutable(array(record<Put>({ ...written, value: valueCodec }))),
    sums: mutable(array(record<Sum>({ ...written, amount: integer }))),
    touched: vectorCodec,
    writes: vectorCodec,
  }),
  (cell) => cell,
  (cell) => ({ ...cell, content: undefined }),
);

function mutable<T>(codec: Codec<readonly T[]>): Codec<T[]> {
  return mapCodec(
    codec,
    (values) => values,
    (values) => [...values],
  );
}

interface Element {
  readonly name: string;
  readonly cell: Cell;
}

const elementsCodec: Codec<Map<string, Cell>> = mapCodec(
  array(record<Element>({ name: text, cell: cellCodec })),
  (elements) => [...elements].map(([name, cell]) => ({ name, cell })),
  (elements) => new Map(elements.map(({ name, cell }) => [name, cell])),
);

/** A value for some of the types. */
function perType<V>(codec: Codec<V>): Codec<Partial<Record<KeyType, V>>> {
  const members = Object.fromEntries(KEY_TYPES.map((type) => [type, optional(codec)]));
  const whole = record<Partial<Record<KeyType, V>>>(members as { [T in KeyType]: Codec<V | undefined> });
  return mapCodec(
    whole,
    (values) => values,
    (values) => Object.fromEntries(entries(values)),
  );
}

/** What is known of a key, as it is saved. */
export const keyCodec: Codec<KeyState> = mapCodec(
  record<Omit<KeyState, "ends">>({
    clears: vectorCodec,
    cells: perType(elementsCodec),
    latest: perType(record<Stamp>({ dot: dotCodec, at: timestampCodec })),
    expiries: array(record<Expiry>({ ...written, until: untilCodec })),
    baseExpiry: flag,
    timed: vectorCodec,
    touched: vectorCodec,
  }),
  (state) => state,
  (state) => ({ ...state, ends: undefined }),
);

export const knownKeyCodec: Codec<KnownKey> = record<KnownKey>({ key: text, state: keyCodec });
