import { createContext, Script } from "node:vm";

const MAX_PATTERN_LENGTH = 2048;
const MAX_TEXT_LENGTH = 65_536;
const MAX_COMPILED = 500;
const MATCH_TIMEOUT_MS = 100;

const compiled = new Map<string, RegExp | undefined>();
const sandbox: { expression?: RegExp; text?: string } = createContext({});
const match = new Script("expression.test(text)");

/** True when `text` holds a match; undefined when that is not decided within bounds (size, time, or no valid pattern). */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const expression = compilePattern(pattern);
  if (expression === undefined || text.length > MAX_TEXT_LENGTH) return undefined;
  return mayBacktrackForLong(pattern) ? matchWithin(expression, text) : expression.test(text);
}

/** The pattern as a regular expression; undefined when it is too long or none. Go spellings are translated. */
export function compilePattern(pattern: string): RegExp | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  if (!compiled.has(pattern)) {
    if (compiled.size >= MAX_COMPILED) compiled.clear();
    compiled.set(pattern, compile(fromGo(pattern), pattern.startsWith("(?i)") ? "i" : ""));
  }
  return compiled.get(pattern);
}

function compile(source: string, flags: string): RegExp | undefined {
  for (const unicode of ["u", ""]) {
    try {
      return new RegExp(source, flags + unicode);
    } catch {
      // the strict reading refuses escapes such as `\_` that Go takes: the lenient one is tried next
    }
  }
  return undefined;
}

function fromGo(pattern: string): string {
  return pattern
    .replace(/^\(\?i\)/, "")
    .replaceAll("(?P<", "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$")
    .replaceAll("[:alpha:]", "a-zA-Z")
    .replaceAll("[:alnum:]", "a-zA-Z0-9")
    .replaceAll("[:digit:]", "0-9")
    .replaceAll("[:lower:]", "a-z")
    .replaceAll("[:upper:]", "A-Z")
    .replaceAll("[:space:]", "\\s");
}

/** Go matches in linear time, we do not: a repeated group is where a hostile value could keep us busy. */
function mayBacktrackForLong(pattern: string): boolean {
  return /\)[*+{]/.test(pattern);
}

function matchWithin(expression: RegExp, text: string): boolean | undefined {
  sandbox.expression = expression;
  sandbox.text = text;
  try {
    return match.runInContext(sandbox, { timeout: MATCH_TIMEOUT_MS }) === true;
  } catch {
    return undefined; // the only failure is the timeout
  }
}
