import { ByteReader, ByteWriter, malformedBytes } from "./bytes.ts";

/** How a value is written into bytes and read again. */
export interface Codec<T> {
  write(to: ByteWriter, value: T): void;
  /** Throws MERGE_MALFORMED. */
  read(from: ByteReader): T;
}

/** The value after the number of its format, so that later releases can tell formats apart. */
export function encodeValue<T>(codec: Codec<T>, format: number, value: T): Uint8Array {
  const writer = new ByteWriter();
  writer.number(format);
  codec.write(writer, value);
  return writer.finish();
}

/** The value that these bytes are, and no byte more; throws MERGE_MALFORMED. */
export function decodeValue<T>(codec: Codec<T>, format: number, bytes: Uint8Array): T {
  const reader = new ByteReader(bytes);
  const found = reader.number();
  if (found !== format) throw malformedBytes(`their format is ${found}, and this release reads format ${format}`);
  const value = codec.read(reader);
  reader.end();
  return value;
}

export const number: Codec<number> = { write: (to, value) => to.number(value), read: (from) => from.number() };
export const integer: Codec<bigint> = { write: (to, value) => to.integer(value), read: (from) => from.integer() };
export const text: Codec<string> = { write: (to, value) => to.text(value), read: (from) => from.text() };
export const flag: Codec<boolean> = {
  write: (to, value) => to.number(Number(value)),
  read: (from) => from.number() !== 0,
};

/** Members in the order in which they are named here. */
export function record<T extends object>(members: { readonly [K in keyof T]-?: Codec<T[K]> }): Codec<T> {
  const list = Object.entries<Codec<T[keyof T]>>(members) as unknown as readonly (readonly [
    keyof T,
    Codec<T[keyof T]>,
  ])[];
  return {
    write: (to, value) => {
      for (const [name, codec] of list) codec.write(to, value[name]);
    },
    read: (from) => {
      const value: Partial<T> = {};
      for (const [name, codec] of list) value[name] = codec.read(from);
      return value as T;
    },
  };
}

export function array<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    write: (to, value) => {
      to.number(value.length);
      for (const each of value) codec.write(to, each);
    },
    read: (from) => Array.from({ length: from.count() }, () => codec.read(from)),
  };
}

export function optional<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    write: (to, value) => {
      to.number(value === undefined ? 0 : 1);
      if (value !== undefined) codec.write(to, value);
    },
    read: (from) => (from.number() === 0 ? undefined : codec.read(from)),
  };
}

/** The same bytes for another form of the value. */
export function mapCodec<T, V>(codec: Codec<V>, to: (value: T) => V, from: (value: V) => T): Codec<T> {
  return {
    write: (writer, value) => codec.write(writer, to(value)),
    read: (reader) => from(codec.read(reader)),
  };
}

/** One of the words, as its place among them. */
export function word<W extends string>(...words: readonly W[]): Codec<W> {
  return mapCodec(
    number,
    (each: W) => words.indexOf(each),
    (place) => {
      const found = words[place];
      if (found === undefined) throw malformedBytes(`there is no ${place} among ${words.join(", ")}`);
      return found;
    },
  );
}
