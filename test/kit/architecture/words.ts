import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";

/** A text of the sources, as words with one space around each, for instance " remove finalizer " of `removeFinalizer`. */
export interface Words {
  readonly text: string;
  /** Where it stands, for instance `packages/controller-kit/src/base/log.ts:12 jsonLog`. */
  readonly place: string;
}

/** The names in a source file: its own, and every identifier. */
export function namesIn(root: string, file: string): readonly Words[] {
  const found = new Map<string, Words>();
  const add = (name: string, line: number): void => {
    if (!found.has(name)) found.set(name, { text: wordsOf(name), place: `${file}:${line} ${name}` });
  };
  add(basename(file), 0);
  visit(root, file, (node, line) => {
    if (ts.isIdentifier(node)) add(node.text, line);
  });
  return [...found.values()];
}

/** The texts in a source file: literals and the parts of templates, those of imports left out. */
export function textsIn(root: string, file: string): readonly Words[] {
  const found: Words[] = [];
  visit(root, file, (node, line) => {
    if (ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push({ text: wordsOf(node.text), place: `${file}:${line} "${node.text.slice(0, 80)}"` });
  });
  return found;
}

function visit(root: string, file: string, look: (node: ts.Node, line: number) => void): void {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const enter = (node: ts.Node): void => {
    look(node, source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1);
    ts.forEachChild(node, enter);
  };
  ts.forEachChild(source, enter);
}

/** Small letters; camelCase, kebab-case and punctuation become spaces. */
function wordsOf(text: string): string {
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").match(/[a-zA-Z']+/g) ?? [];
  return ` ${parts.join(" ").toLowerCase()} `;
}
