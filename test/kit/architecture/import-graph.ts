import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/** One import of a file of this checkout by another; paths are relative to the root of the checkout. */
export interface Import {
  readonly file: string;
  /** The file that it names, or the specifier when that is of a package of a registry or of Node.js. */
  readonly target: string;
}

/** Every import below `folders` of the checkout `root`, those of types included. */
export function importsBelow(root: string, folders: readonly string[]): readonly Import[] {
  const named = namedImports(root);
  return filesBelow(root, folders).flatMap((file) =>
    ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true).importedFiles.map(({ fileName }) => ({
      file,
      target: fileName.startsWith(".") ? join(dirname(file), fileName) : named(fileName),
    })),
  );
}

/** Finds what `#…` of `imports` in package.json stands for: the path of a file; another specifier stays as it is. */
export function namedImports(root: string): (specifier: string) => string {
  const { imports }: { imports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  return (specifier) => {
    const exact = imports[specifier];
    if (exact !== undefined) return normalize(exact);
    for (const [name, path] of Object.entries(imports)) {
      const [before = "", after] = name.split("*");
      if (after === undefined || !specifier.startsWith(before)) continue;
      return normalize(path.replace("*", specifier.slice(before.length)));
    }
    return specifier;
  };
}

/** The source files below `folders`, sorted; each folder has some. */
export function filesBelow(root: string, folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => {
      const files = globSync(`${folder}/**/*.{ts,mts,mjs}`, { cwd: root, exclude: ["**/node_modules"] });
      if (files.length === 0) throw new Error(`no source file below ${folder}`);
      return files;
    })
    .sort();
}

/** Groups of nodes that need each other, by way of others; each group sorted. Tarjan's algorithm. */
export function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): number => {
    order.set(node, order.size);
    let low = order.size - 1;
    open.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === order.get(node)) {
      const group = open.splice(open.indexOf(node));
      if (group.length > 1 || edges.get(node)?.has(node) === true) found.push(group.sort());
    }
    return low;
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}
