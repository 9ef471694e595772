import { at } from "../objects/json.ts";

/**
 * Whether a match condition of a webhook holds. Knows the part of CEL that conditions of webhooks use most: `has(path)`,
 * `path == "text"`, `path != "text"`, `!`, `&&`, `||` and parentheses; throws on everything else.
 */
export function matchConditionHolds(expression: string, scope: Readonly<Record<string, unknown>>): boolean {
  const tokens = tokensOf(expression);
  let next = 0;
  const take = (token: string): boolean => {
    const isNext = tokens[next] === token;
    if (isNext) next += 1;
    return isNext;
  };
  const need = (token: string): void => {
    if (!take(token)) throw unknown(expression, tokens[next]);
  };
  const path = (): unknown => {
    const text = tokens[next] ?? "";
    if (!/^[a-z_]/i.test(text)) throw unknown(expression, text);
    next += 1;
    return at(scope, ...text.split("."));
  };
  const either = (): boolean => {
    let holds = both();
    while (take("||")) holds = both() || holds;
    return holds;
  };
  const both = (): boolean => {
    let holds = term();
    while (take("&&")) holds = term() && holds;
    return holds;
  };
  const term = (): boolean => {
    if (take("!")) return !term();
    if (take("(")) return closed(either);
    if (take("has")) {
      need("(");
      return closed(() => path() !== undefined);
    }
    return compared(path());
  };
  const closed = (inner: () => boolean): boolean => {
    const holds = inner();
    need(")");
    return holds;
  };
  const compared = (left: unknown): boolean => {
    if (left === undefined) throw new Error(`the condition ${JSON.stringify(expression)} reads what is not there`);
    const isEqual = take("==");
    if (!isEqual) need("!=");
    const literal = tokens[next] ?? "";
    if (!/^["']/.test(literal)) throw unknown(expression, literal);
    next += 1;
    return (left === literal.slice(1, -1)) === isEqual;
  };
  const holds = either();
  if (next < tokens.length) throw unknown(expression, tokens[next]);
  return holds;
}

function tokensOf(expression: string): readonly string[] {
  return expression.match(/"[^"]*"|'[^']*'|&&|\|\||[=!]=|[!()]|[\w.]+|\S/g) ?? [];
}

function unknown(expression: string, token: string | undefined): Error {
  return new Error(
    `the condition ${JSON.stringify(expression)} is not understood at ${JSON.stringify(token ?? "its end")}`,
  );
}
