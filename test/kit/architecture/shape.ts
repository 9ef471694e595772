import { basename } from "node:path";
import ts from "typescript";

/** What a source file holds that is over the measures of shape: the name of each, by its kind, with its figure. */
export function shapeOver(file: string, text: string, limits: Limits): ReadonlyMap<string, number> {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const over = new Map<string, number>();
  const note = (name: string, figure: number, limit: number): void => {
    if (figure > limit) over.set(name, Math.max(figure, over.get(name) ?? 0));
  };
  note(`imports of ${basename(file)}`, source.statements.filter(importsAnother).length, limits.imports);
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node))
      note(`members of ${basename(file)} ${node.name?.text ?? ""}`, publicMembers(node), limits.members);
    if (ts.isFunctionLike(node)) note(`paths of ${basename(file)} ${nameOf(node)}`, pathsThrough(node), limits.paths);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return over;
}

/** `import … from` and `export … from`. */
function importsAnother(statement: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(statement) || (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined)
  );
}

/** The most of each that is allowed. */
export interface Limits {
  /** Import declarations of a file, and exports from other ones. */
  readonly imports: number;
  /** Names by which others may call an instance of a class or read of it. */
  readonly members: number;
  /** Cyclomatic complexity of a function, without the functions in it. */
  readonly paths: number;
}

/** A getter and its setter are one; constructors, `#private` and `private` ones are none. */
function publicMembers({ members }: ts.ClassLikeDeclaration): number {
  const names = members
    .filter((member) => !ts.isConstructorDeclaration(member) && !ts.isClassStaticBlockDeclaration(member))
    .filter((member) => member.name !== undefined && !ts.isPrivateIdentifier(member.name))
    .filter(
      (member) => !(ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)),
    )
    .map(({ name }) => name?.getText());
  return new Set(names).size;
}

/**
 * One, and one more at each place where the function goes one of several ways. A `switch` is one place, as a table is. What stands for
 * something absent (`??`, `?.`, defaults) is none.
 */
function pathsThrough(declared: ts.SignatureDeclaration): number {
  let paths = 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (isBranch(node)) paths += 1;
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(declared, visit);
  return paths;
}

function isBranch(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node)) return SHORT_CIRCUITS.has(node.operatorToken.kind);
  return BRANCHES.has(node.kind);
}

const SHORT_CIRCUITS = new Set<ts.SyntaxKind>([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.AmpersandAmpersandEqualsToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.BarBarEqualsToken,
]);
const BRANCHES = new Set([
  ts.SyntaxKind.IfStatement,
  ts.SyntaxKind.ConditionalExpression,
  ts.SyntaxKind.ForStatement,
  ts.SyntaxKind.ForInStatement,
  ts.SyntaxKind.ForOfStatement,
  ts.SyntaxKind.WhileStatement,
  ts.SyntaxKind.DoStatement,
  ts.SyntaxKind.SwitchStatement,
]);

/** Its own name, or that of the declaration around it. */
function nameOf(node: ts.Node): string {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isConstructorDeclaration(at)) return `${at.parent.name?.text ?? ""}.constructor`;
    if ("name" in at && at.name !== undefined) {
      const name = at.name as ts.Node;
      const owner = ts.isClassDeclaration(at.parent) ? `${at.parent.name?.text ?? ""}.` : "";
      if (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) return `${owner}${name.text}`;
    }
  }
  return "";
}
