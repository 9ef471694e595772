/**
 * A part of the syntax of a command: a word of its own, an argument, a sequence of parts, or one of several sequences.
 * `isOptional`: it may be left out; `repeats`: it may come several times.
 */
export type SyntaxPart = SyntaxContent & { readonly isOptional: boolean; readonly repeats: boolean };

type SyntaxContent =
  | { readonly kind: "word" | "value"; readonly name: string }
  | { readonly kind: "group"; readonly choices: readonly (readonly SyntaxPart[])[] };

/**
 * Reads the notation in which engines document their commands: `[COUNT count] (STREAMS key... id...)`. Words are in capitals,
 * arguments are not; brackets hold what may be left out, parentheses what belongs together, and `|` separates choices.
 */
export function syntaxOf(text: string): readonly SyntaxPart[] {
  const tokens = text.match(TOKEN) ?? [];
  if (tokens.join("") !== text.replaceAll(" ", "")) throw new Error(`this is no syntax: ${text}`);
  const [sequence = [], ...others] = choicesIn(tokens, undefined);
  if (others.length > 0) throw new Error(`this is no syntax: ${text}`);
  return sequence;
}

const TOKEN = /\.\.\.|[[\]()|]|[\w:/-]+/g;

/** Takes tokens up to the bracket that ends the group. */
function choicesIn(tokens: string[], end: string | undefined): readonly (readonly SyntaxPart[])[] {
  const choices: SyntaxPart[][] = [[]];
  let token = tokens.shift();
  for (; token !== end && token !== undefined; token = tokens.shift()) {
    if (token === "|") choices.push([]);
    else {
      const content = contentOf(token, tokens);
      const repeats = tokens[0] === "...";
      if (repeats) tokens.shift();
      choices.at(-1)?.push({ ...content, isOptional: token === "[", repeats });
    }
  }
  if (token !== end) throw new Error(`this is no syntax: ${end} is missing`);
  return choices;
}

function contentOf(token: string, tokens: string[]): SyntaxContent {
  if (token === "[") return { kind: "group", choices: choicesIn(tokens, "]") };
  if (token === "(") return { kind: "group", choices: choicesIn(tokens, ")") };
  if (!/\w/.test(token)) throw new Error(`this is no syntax: ${token} stands where an argument is expected`);
  return { kind: token === token.toUpperCase() ? "word" : "value", name: token };
}
