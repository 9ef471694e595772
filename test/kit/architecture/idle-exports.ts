import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, namedImports } from "./import-graph.ts";

/**
 * The names that a file below `sources` exports and no other file imports, those below `others` included. A type may also be what another
 * export of its file takes or gives.
 */
export function idleExports(root: string, sources: readonly string[], others: readonly string[]): readonly string[] {
  const exported = exportsWithoutImport(root, filesBelow(root, sources), filesBelow(root, [...sources, ...others]));
  return exported.filter(({ isType, isUsedInside }) => !isType || !isUsedInside).map(said);
}

/** The names that a file of the sources exports for tests alone: neither it nor another file besides tests uses them. */
export function testOnlyExports(
  root: string,
  sources: readonly string[],
  others: readonly string[],
): readonly string[] {
  const isTest = (file: string): boolean => /\.test\.ts$|\/testing\//.test(file);
  const [files, importers] = [sources, [...sources, ...others]].map((folders) =>
    filesBelow(root, folders).filter((file) => !isTest(file)),
  );
  return exportsWithoutImport(root, files ?? [], importers ?? [])
    .filter(({ isUsedInside }) => !isUsedInside)
    .map(said);
}

interface Exported {
  readonly file: string;
  readonly name: string;
  readonly isType: boolean;
  /** Its own file names it again. */
  readonly isUsedInside: boolean;
}

function said({ file, name }: Exported): string {
  return `${file} exports ${name}`;
}

function exportsWithoutImport(
  root: string,
  files: readonly string[],
  importers: readonly string[],
): readonly Exported[] {
  const texts = new Map(importers.map((file) => [file, readFileSync(join(root, file), "utf8")]));
  const imported = importedNames(root, texts);
  return files.flatMap((file) => {
    const text = texts.get(file) ?? "";
    return [...text.matchAll(EXPORT)]
      .filter(([, , name = ""]) => !imported.has(`${file} ${name}`) && !imported.has(`${file} *`))
      .map(([, kind = "", name = ""]) => ({
        file,
        name,
        isType: kind === "interface" || kind === "type",
        isUsedInside: timesIn(text, name) > 1,
      }));
  });
}

/** File and name of each import; `*` for all names of a file. */
function importedNames(root: string, texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const named = namedImports(root);
  const found = new Set<string>();
  for (const [file, text] of texts)
    for (const [, names, from, called] of text.matchAll(IMPORT)) {
      const specifier = from ?? called ?? "";
      const target = specifier.startsWith(".") ? join(dirname(file), specifier) : named(specifier);
      for (const name of names === undefined ? ["*"] : namesIn(names)) found.add(`${target} ${name}`);
    }
  return found;
}

/** `a, type B, c as d`: what the other file calls them. */
function namesIn(list: string): readonly string[] {
  return list.split(",").map((each) =>
    each
      .trim()
      .replace(/^type /, "")
      .replace(/ as .*/, ""),
  );
}

function timesIn(text: string, name: string): number {
  return text.split(new RegExp(`\\b${name}\\b`)).length - 1;
}

const EXPORT = /^export (?:async )?(function\*?|const|let|class|interface|type) (\w+)/gm;
/** `import { … } from "…"`, `export * from "…"`, and `import("…")`. */
const IMPORT = /(?:^(?:import|export) (?:type )?(?:\{([^}]*)\}|[\w* ,]+) from "([^"]+)"|\bimport\("([^"]+)"\))/gm;
