import ts from "typescript";

/** A rule that a file claims to hold, and what the assertion of the claim looks at. */
export interface Claim {
  readonly rule: string;
  readonly looksAt: string;
}

/**
 * The claims `proves("<rule>", "<what is looked at>").<assertion>(<what was seen>, …)` of a source file. Throws for a claim without an
 * assertion, or with one that looks at nothing that was seen.
 */
export function claimsIn(file: string, text: string): readonly Claim[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Claim[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isNamed(node.expression, "proves")) found.push(claimOf(node, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function claimOf(call: ts.CallExpression, source: ts.SourceFile): Claim {
  const [rule, looksAt] = call.arguments;
  const where = `${source.fileName}:${source.getLineAndCharacterOfPosition(call.getStart()).line + 1}`;
  if (rule === undefined || looksAt === undefined || !ts.isStringLiteral(rule) || !ts.isStringLiteral(looksAt))
    throw new Error(`${where}: a claim names its rule, and what it looks at, as literals`);
  const access = call.parent;
  const assertion = ts.isPropertyAccessExpression(access) ? access.parent : undefined;
  if (assertion === undefined || !ts.isCallExpression(assertion) || assertion.expression !== access)
    throw new Error(`${where}: the claim "${rule.text}" has no assertion: proves(…).equal(…)`);
  const [seen, wanted] = assertion.arguments;
  const isSource = seen !== undefined && constantsOfSource(source).has(rootOf(seen));
  if (seen === undefined || isConstant(seen) || isSource || seen.getText() === wanted?.getText())
    throw new Error(`${where}: the claim "${rule.text}" asserts nothing that was seen`);
  return { rule: rule.text, looksAt: looksAt.text };
}

/** Whether an expression is the same whatever the programs do: a literal, or a function that returns one. */
function isConstant(node: ts.Expression): boolean {
  if (ts.isArrowFunction(node)) return !ts.isBlock(node.body) && isConstant(node.body);
  return ts.isLiteralExpression(node) || LITERALS.has(node.kind);
}

/**
 * The tables of the source that a test imports, `CATALOGUE` for instance, and what the file makes of one at its top: an assertion
 * about them holds whatever the programs do.
 */
function constantsOfSource(source: ts.SourceFile): ReadonlySet<string> {
  const found = new Set<string>();
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement) && statement.moduleSpecifier.getText(source).includes("/src/")) {
      const named = statement.importClause?.namedBindings;
      const names = named !== undefined && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
      for (const name of names) if (/^[A-Z][A-Z0-9_]+$/.test(name)) found.add(name);
    }
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer !== undefined && found.has(rootOf(initializer))) found.add(name.getText(source));
  }
  return found;
}

/** What an expression begins with: `CATALOGUE` of `CATALOGUE.filter(…).length`. */
function rootOf(node: ts.Expression): string {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
    return rootOf(node.expression);
  return ts.isIdentifier(node) ? node.text : "";
}

const LITERALS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.TrueKeyword,
  ts.SyntaxKind.FalseKeyword,
  ts.SyntaxKind.NullKeyword,
]);

function isNamed(node: ts.Expression, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}
