import { readFileSync } from "node:fs";
import { isJson, mapAt, type Json } from "../objects/json.ts";
import { wireFields } from "./wire.ts";

const MAGIC = Buffer.from("k8s\0");
const MAX_DEPTH = 64;

/**
 * The object in a body of type application/vnd.kubernetes.protobuf, which kubectl from 1.32 on sends for the kinds it has
 * Go types for. Throws for bytes that are no such object, and for kinds that have no entry in messages.json.
 */
export function decodeProtobuf(body: Buffer): Json {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error("the body does not begin with the Kubernetes magic number");
  let [apiVersion, kind] = ["", ""];
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, value } of wireFields(body.subarray(MAGIC.length))) {
    if (!Buffer.isBuffer(value)) continue;
    if (number === 2) raw = value;
    if (number !== 1) continue;
    for (const field of wireFields(value)) {
      if (field.number === 1) apiVersion = String(field.value);
      if (field.number === 2) kind = String(field.value);
    }
  }
  return { apiVersion, kind, ...decodeMessage(messageOf(apiVersion, kind), raw, 0) };
}

/** What stands behind the name of a field in messages.json; scripts/generate-protobuf.ts explains the letters. */
interface FieldType {
  readonly shape: "one" | "list" | "map";
  /** True when the zero value of the field is a value, not its absence. */
  readonly pointer: boolean;
  readonly letter: string;
  /** The message or, for named lists, the type of the items. */
  readonly rest: string;
}

function messageOf(apiVersion: string, kind: string): string {
  if (kind === "DeleteOptions") return "meta/v1.DeleteOptions";
  const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "core";
  return `${group.split(".")[0] ?? ""}/v1.${kind}`;
}

function decodeMessage(name: string, bytes: Buffer, depth: number): Json {
  const fields = messages()[name];
  if (fields === undefined) throw new Error(`no protobuf message ${name} is known`);
  if (depth > MAX_DEPTH) throw new Error("the message is nested too deeply");
  const result: Json = {};
  for (const { number, value } of wireFields(bytes)) {
    const [json, text] = fields[String(number)]?.split(":") ?? [];
    if (json === undefined || text === undefined) continue;
    const type = typeOf(text);
    if (json === "") Object.assign(result, decodeValue(type, value, depth));
    else store(result, json, type, value, depth);
  }
  return result;
}

function store(result: Json, name: string, type: FieldType, value: bigint | Buffer, depth: number): void {
  const present = result[name];
  switch (type.shape) {
    case "map": {
      const [key, entry] = mapEntry(type, value, depth);
      result[name] = { ...(isJson(present) ? present : {}), [key]: entry };
      return;
    }
    case "list":
      result[name] = [...(Array.isArray(present) ? present : []), decodeValue(type, value, depth)];
      return;
    case "one": {
      const decoded = decodeValue(type, value, depth);
      const zero = decoded === "" || decoded === 0 || decoded === false;
      // Go writes fields that are no pointers even when they are not set
      if (decoded !== undefined && (!zero || type.pointer)) result[name] = decoded;
    }
  }
}

function mapEntry(type: FieldType, value: bigint | Buffer, depth: number): [string, unknown] {
  let key = "";
  let entry: unknown = type.letter === "s" || type.letter === "y" ? "" : undefined;
  for (const field of wireFields(bytesOf(value))) {
    if (field.number === 1) key = String(field.value);
    if (field.number === 2) entry = decodeValue(type, field.value, depth);
  }
  return [key, entry];
}

function decodeValue(type: FieldType, value: bigint | Buffer, depth: number): unknown {
  switch (type.letter) {
    case "s":
      return bytesOf(value).toString("utf8");
    case "i":
      return Number(BigInt.asIntN(64, numberOf(value)));
    case "b":
      return numberOf(value) !== 0n;
    case "y":
      return bytesOf(value).toString("base64");
    case "f":
      return bytesOf(value).readDoubleLE(0);
    case "q":
      return firstText(value);
    case "t":
    case "u":
      return instantOf(value, type.letter === "u");
    case "x":
      return integerOrText(value);
    case "r": {
      const raw = firstText(value);
      return raw === "" ? undefined : JSON.parse(raw);
    }
    case "l":
      return [...wireFields(bytesOf(value))].map((field) => decodeValue(typeOf(type.rest), field.value, depth));
    case "m":
      return decodeMessage(type.rest, bytesOf(value), depth + 1);
    default:
      throw new Error(`messages.json has the unknown type ${type.letter}`);
  }
}

function typeOf(text: string): FieldType {
  let rest = text;
  let shape: FieldType["shape"] = "one";
  let pointer = false;
  for (;;) {
    if (rest.startsWith("*")) [pointer, rest] = [true, rest.slice(1)];
    else if (rest.startsWith("[]")) [shape, rest] = ["list", rest.slice(2)];
    else if (rest.startsWith("{}")) [shape, rest] = ["map", rest.slice(2)];
    else return { shape, pointer, letter: rest.slice(0, 1), rest: rest.slice(1) };
  }
}

/** The text in field 1: a quantity, or JSON that is carried as it is. */
function firstText(value: bigint | Buffer): string {
  const field = [...wireFields(bytesOf(value))].find(({ number }) => number === 1);
  return field === undefined ? "" : bytesOf(field.value).toString("utf8");
}

function instantOf(value: bigint | Buffer, micro: boolean): string | undefined {
  let [seconds, nanos] = [0, 0];
  for (const field of wireFields(bytesOf(value))) {
    if (field.number === 1) seconds = Number(BigInt.asIntN(64, numberOf(field.value)));
    if (field.number === 2) nanos = Number(numberOf(field.value));
  }
  if (seconds === 0 && nanos === 0) return undefined;
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micro ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, "0")}Z` : `${whole}Z`;
}

function integerOrText(value: bigint | Buffer): number | string {
  let [kind, integer, text] = [0n, 0n, ""];
  for (const field of wireFields(bytesOf(value))) {
    if (field.number === 1) kind = numberOf(field.value);
    if (field.number === 2) integer = numberOf(field.value);
    if (field.number === 3) text = String(field.value);
  }
  return kind === 1n ? text : Number(BigInt.asIntN(64, integer));
}

function bytesOf(value: bigint | Buffer): Buffer {
  if (Buffer.isBuffer(value)) return value;
  throw new Error("a field has a number where text or a message belongs");
}

function numberOf(value: bigint | Buffer): bigint {
  if (typeof value === "bigint") return value;
  throw new Error("a field has text where a number belongs");
}

let loaded: Readonly<Record<string, Record<string, string>>> | undefined;

/** The fields of each message by their numbers, read from disk at the first call. */
function messages(): Readonly<Record<string, Record<string, string>>> {
  if (loaded === undefined) {
    const parsed: unknown = JSON.parse(readFileSync(new URL("messages.json", import.meta.url), "utf8"));
    const names = isJson(parsed) ? Object.keys(parsed) : [];
    loaded = Object.fromEntries(names.map((name) => [name, mapAt(parsed, name)]));
  }
  return loaded;
}
