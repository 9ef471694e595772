import { KEY_TYPES, type Effect, type Operation, type Value } from "./operation.ts";
import { isOrigin } from "./origin.ts";
import type { Timestamp } from "./timestamp.ts";
import { pairsOf, vectorOf, type Dot, type VersionVector } from "./version-vector.ts";
import { malformedBytes, type ByteReader, type ByteWriter } from "./bytes.ts";
import {
  array,
  decodeValue,
  encodeValue,
  integer,
  mapCodec,
  number,
  optional,
  record,
  text,
  word,
  type Codec,
} from "./codec.ts";

/** What an operation is on the wire and in the log of a site. */
export function encodeOperation(operation: Operation): Uint8Array {
  return encodeValue(operationCodec, FORMAT, operation);
}

/** Copies the bytes; throws MERGE_MALFORMED when they are none of an operation that this release knows. */
export function decodeOperation(bytes: Uint8Array): CodedOperation {
  return { ...decodeValue(operationCodec, FORMAT, bytes), bytes: new Uint8Array(bytes) };
}

const FORMAT = 1;
/** So many bytes at their beginning are the number of their format. */
const FORMAT_BYTES = 1;

/** An operation as it is kept and sent. */
export interface EncodedOperation {
  readonly dot: Dot;
  readonly at: Timestamp;
  readonly bytes: Uint8Array;
}

/** An operation with its bytes, so that it is encoded once wherever it goes. */
export type CodedOperation = Operation & EncodedOperation;

/** The operation with its bytes. */
export function withBytes(operation: Operation): CodedOperation {
  return { ...operation, bytes: encodeOperation(operation) };
}

const typeCodec = word(...KEY_TYPES);

export const vectorCodec: Codec<VersionVector> = {
  write: (to, vector) => {
    const pairs = [...pairsOf(vector)];
    to.number(pairs.length);
    for (const [origin, seq] of pairs) {
      to.number(origin);
      to.number(seq);
    }
  },
  read: (from) => {
    const pairs = new Map<number, number>();
    for (let left = from.count(); left > 0; left -= 1) pairs.set(readOrigin(from), from.number());
    return vectorOf(pairs);
  },
};

function readOrigin(from: ByteReader): number {
  const origin = from.number();
  if (!isOrigin(origin)) throw malformedBytes(`${origin} is no origin`);
  return origin;
}

export const dotCodec: Codec<Dot> = mapCodec(
  record<Dot>({ origin: number, seq: number }),
  (dot) => dot,
  (dot) => {
    if (!isOrigin(dot.origin) || dot.seq === 0)
      throw malformedBytes(`${dot.origin}:${dot.seq} is no number of an operation`);
    return dot;
  },
);

export const timestampCodec = record<Timestamp>({ wall: number, count: number, site: number });

/** Milliseconds since 1970, of any sign and size; undefined: never. */
export const untilCodec: Codec<number | undefined> = optional(mapCodec(integer, BigInt, Number));

/** A text, or the elements of a list. */
export const valueCodec: Codec<Value> = {
  write: (to, value) => {
    const isText = typeof value === "string";
    to.number(isText ? 0 : 1);
    if (isText) to.text(value);
    else texts.write(to, value);
  },
  read: (from) => (from.number() === 0 ? from.text() : texts.read(from)),
};

const texts = array(text);

type EffectOf<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

const members = { type: typeCodec, key: text, element: text };
const EFFECTS: { readonly [K in Effect["kind"]]: Codec<Omit<EffectOf<K>, "kind">> } = {
  put: record({ ...members, value: valueCodec }),
  add: record({ ...members, amount: integer }),
  remove: record(members),
  clear: record({ key: text }),
  expire: record({ key: text, at: untilCodec }),
  flush: record({}),
  emptied: record({ key: text }),
};

const kindCodec = word<Effect["kind"]>("put", "add", "remove", "clear", "expire", "flush", "emptied");

const effectCodec: Codec<Effect> = {
  write: (to, effect) => {
    kindCodec.write(to, effect.kind);
    writeEffect(to, effect);
  },
  read: (from) => {
    const kind = kindCodec.read(from);
    return readEffect(kind, from);
  },
};

export const effectsCodec = array(effectCodec);

function writeEffect<K extends Effect["kind"]>(to: ByteWriter, effect: EffectOf<K>): void {
  const codec: Codec<Omit<EffectOf<K>, "kind">> = EFFECTS[effect.kind];
  codec.write(to, effect);
}

function readEffect(kind: Effect["kind"], from: ByteReader): Effect {
  return { ...EFFECTS[kind].read(from), kind } as Effect;
}

/** The origin of the time is that of the operation. */
const operationCodec: Codec<Operation> = mapCodec(
  record({ dot: dotCodec, wall: number, count: number, seen: vectorCodec, effects: effectsCodec }),
  ({ dot, at: { wall, count }, seen, effects }: Operation) => ({ dot, wall, count, seen, effects }),
  ({ dot, wall, count, seen, effects }) => ({ dot, at: { wall, count, site: dot.origin }, seen, effects }),
);

/** An operation by its bytes, which are there already. */
export const codedOperationCodec: Codec<CodedOperation> = {
  write: (to, { bytes }) => to.raw(bytes.subarray(FORMAT_BYTES)),
  read: (from) => withBytes(operationCodec.read(from)),
};
