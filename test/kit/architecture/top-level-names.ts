import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A name that a source file defines at its top level. */
export interface TopLevelName {
  readonly name: string;
  readonly file: string;
  readonly isExported: boolean;
  readonly isFunction: boolean;
}

/** What the file defines at its top level, each name once. */
export function topLevelNamesIn(root: string, file: string): readonly TopLevelName[] {
  return topLevelNamesOf(file, readFileSync(join(root, file), "utf8"));
}

/** What a file with this text defines at its top level, each name once. */
export function topLevelNamesOf(file: string, text: string): readonly TopLevelName[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, TopLevelName>();
  for (const statement of source.statements)
    for (const { name, isFunction } of definedBy(statement))
      found.set(name, { name, file, isExported: isExported(statement), isFunction });
  for (const name of source.statements.flatMap(listedBy)) {
    const defined = found.get(name);
    if (defined !== undefined) found.set(name, { ...defined, isExported: true });
  }
  return [...found.values()];
}

/** Names of the file that `export { … }` lists. */
function listedBy(statement: ts.Statement): readonly string[] {
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
  const { exportClause } = statement;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

/** Functions whose name is one participle and nothing else, for instance `held`: neither a verb nor a claim. */
export function participles(names: readonly TopLevelName[], allowed: ReadonlySet<string>): readonly string[] {
  return names
    .filter(({ name, isFunction }) => isFunction && !allowed.has(name) && isParticiple(name))
    .map(({ name, file }) => `${file} ${name}`);
}

/** Exported names that several files define. */
export function doubled(names: readonly TopLevelName[], allowed: ReadonlySet<string>): readonly string[] {
  const exported = names.filter(({ name, isExported }) => isExported && !allowed.has(name));
  return [...Map.groupBy(exported, ({ name }) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(", ")}`);
}

/** Participles that do not end in -ed or -ing. Those that are verbs as well, as `read` and `set`, are none of them. */
const IRREGULAR: ReadonlySet<string> = new Set(
  [
    "become begun bent bound bought broken brought built burnt caught chosen clung done dealt drawn driven fallen fed felt fled flown",
    "forbidden forgotten found frozen given gone grown held hidden hung kept known laid led left lent lost made meant met overridden",
    "overwritten paid proven resent rewritten ridden risen said seen sent sewn shaken shown shrunk slept sold sought spent spoken spun",
    "stolen stood stuck struck sunk sworn swept taken taught thought thrown torn understood undone unknown unsaid unseen woken",
    "withdrawn withheld won worn wound written",
  ].flatMap((line) => line.split(" ")),
);

function isParticiple(name: string): boolean {
  return /^[a-z]+(?:ed|ing)$/.test(name) || IRREGULAR.has(name);
}

function definedBy(statement: ts.Statement): readonly { readonly name: string; readonly isFunction: boolean }[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      ts.isIdentifier(name) ? [{ name: name.text, isFunction: isFunctionLike(initializer) }] : [],
    );
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  if (!isNamed || statement.name === undefined) return [];
  return [{ name: statement.name.text, isFunction: ts.isFunctionDeclaration(statement) }];
}

function isFunctionLike(value: ts.Expression | undefined): boolean {
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}
