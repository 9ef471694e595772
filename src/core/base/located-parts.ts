import { COMMAND_SYNTAX } from "./command-syntax.ts";
import { syntaxOf, type SyntaxPart } from "./syntax.ts";

/** The arguments of a request behind the name of its command, as words of one case. */
export interface Words {
  readonly length: number;
  /** In capitals. */
  wordAt(at: number): string;
}

/** Where the words and arguments of a request stand, by their names in the syntax; the last one where it may come again. */
export type LocatedParts = ReadonlyMap<string, number>;

/**
 * Finds the parts of a request by the syntax that engines document for its command. Undefined when no engine would take the request,
 * or its syntax is not in the table: then nothing can be said of it.
 */
export function locateParts(command: string, words: Words): LocatedParts | undefined {
  for (const syntax of syntaxesOf(command)) {
    const found = new Map<string, number>();
    if (new Match(words, found).sequence(syntax, 0) === words.length) return found;
  }
  return undefined;
}

const known = new Map<string, readonly (readonly SyntaxPart[])[]>();

function syntaxesOf(command: string): readonly (readonly SyntaxPart[])[] {
  const parsed = known.get(command) ?? (COMMAND_SYNTAX[command] ?? []).map(syntaxOf);
  if (parsed.length > 0) known.set(command, parsed);
  return parsed;
}

/** Matches a request with a syntax, as engines read it: from the left, options in any order. */
class Match {
  readonly #words: Words;
  readonly #found: Map<string, number>;

  constructor(words: Words, found: Map<string, number>) {
    this.#words = words;
    this.#found = found;
  }

  /** The position behind the sequence that begins at `start`; undefined when it is not there. */
  sequence(parts: readonly SyntaxPart[], start: number): number | undefined {
    let at: number | undefined = start;
    for (let i = 0; i < parts.length && at !== undefined;) {
      const options = optionsFrom(parts, i);
      at = options.length > 0 ? this.#options(options, at) : this.#argument(parts, i, at);
      i += Math.max(1, options.length);
    }
    return at;
  }

  /** Parts that begin with a word of their own come in any order, and again. */
  #options(options: readonly SyntaxPart[], start: number): number | undefined {
    const missing = new Set(options);
    let at = start;
    for (let past: number | undefined = start; past !== undefined; at = past ?? at) {
      past = undefined;
      for (const option of [...missing, ...options]) {
        past = this.#once(option, at);
        if (past === undefined) continue;
        missing.delete(option);
        break;
      }
    }
    return [...missing].every(({ isOptional }) => isOptional) ? at : undefined;
  }

  /** An argument in its place; one that repeats takes what the others leave, or as many as were announced. */
  #argument(parts: readonly SyntaxPart[], i: number, start: number): number | undefined {
    const part = parts[i];
    if (part === undefined) return undefined;
    const rest = parts.slice(i + 1);
    const left = this.#words.length - start - lengthOf(rest);
    if (part.isOptional && left <= 0) return start;
    if (!part.repeats) return this.#once(part, start);
    const width = lengthOf([{ ...part, isOptional: false }]);
    const sharing = rest.filter(({ repeats }) => repeats).length;
    const times = this.#announced(parts[i - 1]) ?? (left / width + sharing) / (sharing + 1);
    const fits = Number.isInteger(times) && times > 0 && start + times * width <= this.#words.length;
    return fits && this.#once(part, start) !== undefined ? start + times * width : undefined;
  }

  #announced(before: SyntaxPart | undefined): number | undefined {
    if (before?.kind !== "value" || !before.name.startsWith("num")) return undefined;
    return Number(this.#words.wordAt(this.#found.get(before.name) ?? 0));
  }

  #once(part: SyntaxPart, at: number): number | undefined {
    if (part.kind === "group") {
      for (const choice of part.choices) {
        const past = this.sequence(choice, at);
        if (past !== undefined) return past;
      }
      return undefined;
    }
    const isThere = at < this.#words.length && (part.kind === "value" || this.#words.wordAt(at) === part.name);
    if (!isThere) return undefined;
    this.#found.set(part.name, at);
    return at + 1;
  }
}

/** The parts from `i` on that begin with a word, up to the first that does not. A word that must stand there stands there once: a name may be alike. */
function optionsFrom(parts: readonly SyntaxPart[], i: number): readonly SyntaxPart[] {
  const isOption = (part: SyntaxPart): boolean => beginsWithWord(part) && (part.kind === "group" || part.isOptional);
  const end = parts.findIndex((part, at) => at >= i && !isOption(part));
  return parts.slice(i, end < 0 ? parts.length : end);
}

function beginsWithWord(part: SyntaxPart): boolean {
  if (part.kind !== "group") return part.kind === "word";
  return part.choices.every(([first]) => first !== undefined && beginsWithWord(first));
}

/** How many arguments these parts are at least. */
function lengthOf(parts: readonly SyntaxPart[]): number {
  return parts.filter(({ isOptional }) => !isOptional).reduce((sum, part) => sum + lengthOfOne(part), 0);
}

function lengthOfOne(part: SyntaxPart): number {
  return part.kind === "group" ? Math.min(...part.choices.map(lengthOf)) : 1;
}
