import { requestArguments } from "../../../ports/resp/command-frame.ts";

/** An argument as a keyword: upper case. */
export function keyword(argument: Buffer | undefined): string {
  return argument === undefined ? "" : argument.toString("latin1").toUpperCase();
}

/**
 * The words of a request that was typed as a line: separated by blanks, quoted with "..." (with the escapes of C) or
 * '...'. Undefined when quotes are not balanced.
 */
export function wordsOf(line: Buffer): Buffer[] | undefined {
  const text = line.toString("latin1").replace(/\r?\n$/, "");
  const words: Buffer[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const found = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"']\S*))(?=\s|$)/s.exec(rest);
    if (found === null) return undefined;
    const [whole, double, single, bare] = found;
    words.push(Buffer.from(bare ?? (double === undefined ? unquoteSingle(single ?? "") : unquote(double)), "latin1"));
    rest = rest.slice(whole.length).trimStart();
  }
  return words;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };

function unquote(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex: string | undefined, char: string | undefined) =>
    hex === undefined ? (ESCAPES[char ?? ""] ?? char ?? "") : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function unquoteSingle(text: string): string {
  return text.replaceAll("\\'", "'");
}

/** The name of the command of one whole request, in upper case. */
export function commandName(request: Buffer): string {
  return keyword(requestArguments(request.subarray(0, 128))[0]);
}

/** True of a request that is the name of its command alone. */
export function isAlone(request: Buffer): boolean {
  return requestArguments(request).length === 1;
}
