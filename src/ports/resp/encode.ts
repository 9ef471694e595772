/** One argument of a command; numbers are sent in decimal. */
export type Arg = string | number | bigint | Uint8Array;

/** What the strings of a command are: text, or one character for each byte. */
export type ArgEncoding = "utf8" | "latin1";

/** A command as the engine reads it: an array of bulk strings, each argument taken byte for byte (strings as UTF-8). */
export function encodeCommand(args: readonly Arg[]): Buffer {
  return encodeCommands([args], "utf8");
}

/** The commands as the engine reads them, one behind the other. */
export function encodeCommands(commands: readonly (readonly Arg[])[], encoding: ArgEncoding): Buffer {
  const out = Buffer.allocUnsafe(commands.reduce((sum, args) => sum + sizeOf(args, encoding), 0));
  let at = 0;
  for (const args of commands) {
    at = putCount(out, at, STAR, args.length);
    for (const arg of args) {
      at = putCount(out, at, DOLLAR, lengthOf(arg, encoding));
      at = putEnd(out, at + putArg(out, at, arg, encoding));
    }
  }
  return out;
}

function sizeOf(args: readonly Arg[], encoding: ArgEncoding): number {
  let size = countSize(args.length);
  for (const arg of args) {
    const length = lengthOf(arg, encoding);
    size += countSize(length) + length + END;
  }
  return size;
}

function lengthOf(arg: Arg, encoding: ArgEncoding): number {
  if (typeof arg === "object") return arg.length;
  return typeof arg === "string" && encoding === "utf8" ? Buffer.byteLength(arg) : String(arg).length;
}

/** The number of bytes that were put there. */
function putArg(out: Buffer, at: number, arg: Arg, encoding: ArgEncoding): number {
  if (typeof arg !== "object") return out.write(String(arg), at, encoding);
  out.set(arg, at);
  return arg.length;
}

function countSize(count: number): number {
  return 1 + String(count).length + END;
}

/** The place behind it. */
function putCount(out: Buffer, at: number, kind: number, count: number): number {
  out[at] = kind;
  return putEnd(out, at + 1 + out.write(String(count), at + 1, "latin1"));
}

function putEnd(out: Buffer, at: number): number {
  out[at] = CR;
  out[at + 1] = LF;
  return at + END;
}

const [STAR, DOLLAR, CR, LF] = [42, 36, 13, 10];
const END = 2;
