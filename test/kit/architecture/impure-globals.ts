import vm from "node:vm";
import ts from "typescript";

/**
 * What a source text takes from Node.js or from the moment, each with its line: globals that the language itself does not have, the
 * clock and randomness. The type of such a global is no use of it.
 */
export function impureGlobals(text: string): readonly string[] {
  const source = ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true);
  const nodes = nodesIn(source);
  const own = new Set(nodes.flatMap(declaredName));
  return nodes.flatMap((node) => {
    const use = momentIn(node) ?? globalIn(node);
    if (use === undefined || own.has(use)) return [];
    return [`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${use}`];
  });
}

/** Of Node.js too, but without state: what they give follows from what they get. */
const PURE = ["URL", "URLSearchParams", "TextEncoder", "TextDecoder", "structuredClone", "atob", "btoa"];
/** In V8 a bare language has `console` too, and `globalThis` is a way to all the others. */
const OF_NODE = new Set(Object.getOwnPropertyNames(globalThis))
  .difference(new Set<string>(vm.runInNewContext("Object.getOwnPropertyNames(globalThis)")))
  .difference(new Set(PURE))
  .union(new Set(["console", "globalThis"]));

function globalIn(node: ts.Node): string | undefined {
  return ts.isIdentifier(node) && OF_NODE.has(node.text) && isValue(node) ? node.text : undefined;
}

/** `new Date()` and `Date()` read the clock, `new Date(0)` does not. */
function momentIn(node: ts.Node): string | undefined {
  const text = node.getText();
  if (ts.isPropertyAccessExpression(node) && ["Date.now", "Math.random"].includes(text)) return text;
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) return "new Date()";
  return ts.isCallExpression(node) && node.expression.getText() === "Date" ? "Date()" : undefined;
}

/** Whether a name stands for the value of what is called so, and not for a member, a key or a type. */
function isValue(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === name;
  return (
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isExpression(parent) && !ts.isTypeNode(parent)) ||
    isUse(parent, name)
  );
}

/** In a statement or a declaration a name is used when it is what is returned, looked at or assigned. */
function isUse(parent: ts.Node, name: ts.Identifier): boolean {
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isImportSpecifier(parent)) return false;
  return !("name" in parent && parent.name === name) && !("propertyName" in parent && parent.propertyName === name);
}

/** What the file declares or imports under a name, also as a parameter. */
function declaredName(node: ts.Node): readonly string[] {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isImportSpecifier(node);
  return isDeclaration && node.name !== undefined && ts.isIdentifier(node.name) ? [node.name.text] : [];
}

function nodesIn(node: ts.Node): readonly ts.Node[] {
  const nodes: ts.Node[] = [node];
  ts.forEachChild(node, (child) => {
    nodes.push(...nodesIn(child));
  });
  return nodes;
}
