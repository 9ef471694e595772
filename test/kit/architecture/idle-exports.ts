import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, namedImports } from "./import-graph.ts";

/**
 * The names that a file below `sources` exports and no other file imports, those below `others` included. A type may also be what another
 * export of its file takes or gives.
 */
export function idleExports(root: string, sources: readonly string[], others: readonly string[]): readonly string[] {
  const texts = new Map(
    filesBelow(root, [...sources, ...others]).map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );
  const imported = importedNames(root, texts);
  return filesBelow(root, sources).flatMap((file) => {
    const text = texts.get(file) ?? "";
    return [...text.matchAll(EXPORT)]
      .map(([, kind = "", name = ""]) => ({ name, isType: kind === "interface" || kind === "type" }))
      .filter(({ name }) => !imported.has(`${file} ${name}`) && !imported.has(`${file} *`))
      .filter(({ name, isType }) => !isType || timesIn(text, name) === 1)
      .map(({ name }) => `${file} exports ${name}`);
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
