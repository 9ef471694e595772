import { at } from "../objects/json.ts";

/**
 * Whether a match condition of a webhook holds. Knows the part of CEL that conditions of webhooks use most: `has(path)`,
 * `path == "text"`, `path != "text"`, `!`, `&&`, `||` and parentheses; throws on everything else.
 */
export function matchConditionHolds(expression: string, scope: Readonly<Record<string, unknown>>): boolean {
  return new Condition(expression, scope).value();
}

/** Reads the tokens of a condition from left to right and computes its value on the way. */
class Condition {
  readonly #expression: string;
  readonly #scope: Readonly<Record<string, unknown>>;
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(expression: string, scope: Readonly<Record<string, unknown>>) {
    this.#expression = expression;
    this.#scope = scope;
    this.#tokens = tokensOf(expression);
  }

  value(): boolean {
    const holds = this.#either();
    if (this.#next < this.#tokens.length) throw this.#unexpected(this.#tokens[this.#next]);
    return holds;
  }

  #either(): boolean {
    let holds = this.#both();
    while (this.#take("||")) holds = this.#both() || holds;
    return holds;
  }

  #both(): boolean {
    let holds = this.#term();
    while (this.#take("&&")) holds = this.#term() && holds;
    return holds;
  }

  #term(): boolean {
    if (this.#take("!")) return !this.#term();
    if (this.#take("(")) return this.#closed(() => this.#either());
    if (this.#take("has")) {
      this.#need("(");
      return this.#closed(() => this.#path() !== undefined);
    }
    return this.#compared(this.#path());
  }

  #closed(inner: () => boolean): boolean {
    const holds = inner();
    this.#need(")");
    return holds;
  }

  #compared(left: unknown): boolean {
    if (left === undefined)
      throw new Error(`the condition ${JSON.stringify(this.#expression)} reads a field that does not exist`);
    const isEqual = this.#take("==");
    if (!isEqual) this.#need("!=");
    const literal = this.#tokens[this.#next] ?? "";
    if (!/^["']/.test(literal)) throw this.#unexpected(literal);
    this.#next += 1;
    return (left === literal.slice(1, -1)) === isEqual;
  }

  #path(): unknown {
    const text = this.#tokens[this.#next] ?? "";
    if (!/^[a-z_]/i.test(text)) throw this.#unexpected(text);
    this.#next += 1;
    return at(this.#scope, ...text.split("."));
  }

  #take(token: string): boolean {
    const isNext = this.#tokens[this.#next] === token;
    if (isNext) this.#next += 1;
    return isNext;
  }

  #need(token: string): void {
    if (!this.#take(token)) throw this.#unexpected(this.#tokens[this.#next]);
  }

  #unexpected(token: string | undefined): Error {
    const where = JSON.stringify(token ?? "its end");
    return new Error(`the condition ${JSON.stringify(this.#expression)} is not understood at ${where}`);
  }
}

function tokensOf(expression: string): readonly string[] {
  return expression.match(/"[^"]*"|'[^']*'|&&|\|\||[=!]=|[!()]|[\w.]+|\S/g) ?? [];
}
