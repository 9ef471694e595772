/** One argument of a command; numbers are sent in decimal. */
export type Arg = string | number | bigint | Uint8Array;

/** A command as the engine reads it: an array of bulk strings, each argument taken byte for byte (strings as UTF-8). */
export function encodeCommand(args: readonly Arg[]): Buffer {
  const parts = args.map(bytesOf);
  const heads = parts.map((part) => `$${part.length}${CRLF}`);
  const start = `*${parts.length}${CRLF}`;
  const out = Buffer.allocUnsafe(
    parts.reduce((sum, part, i) => sum + (heads[i]?.length ?? 0) + part.length + CRLF.length, start.length),
  );
  let at = out.write(start, 0, "latin1");
  parts.forEach((part, i) => {
    at += out.write(heads[i] ?? "", at, "latin1");
    out.set(part, at);
    at += part.length;
    at += out.write(CRLF, at, "latin1");
  });
  return out;
}

const CRLF = "\r\n";

function bytesOf(arg: Arg): Uint8Array {
  return typeof arg === "object" ? arg : Buffer.from(String(arg));
}
