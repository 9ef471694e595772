import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SECTIONS, type RuleName } from "../test/specification/rules.ts";

const ROOT = join(import.meta.dirname, "..");

/** Which test files name which rule of the contract. */
export function coverage(): ReadonlyMap<RuleName, readonly string[]> {
  const files = globSync("test/**/*.test.ts", { cwd: ROOT })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
  const names = SECTIONS.flatMap(({ rules }): readonly RuleName[] => rules);
  return new Map(
    names.map((name) => [name, files.filter(({ text }) => text.includes(`"${name}"`)).map(({ path }) => path)]),
  );
}

/** The page docs/specification.md: each rule of the contract and the tests that hold it. */
export function specificationPage(): string {
  const found = coverage();
  const all = [...found.values()];
  const held = all.filter((files) => files.length > 0).length;
  const chapters = SECTIONS.map(({ title, rules }) => {
    const rows = rules.map((name) => `| ${escape(name)} | ${links(found.get(name) ?? [])} |`);
    return `## ${title}\n\n| Rule | Held by |\n|---|---|\n${rows.join("\n")}\n`;
  });
  return `# The upgrade procedure, rule by rule

Generated from \`test/specification/rules.ts\` and the tests by \`npm run generate\`. ${held} of ${all.length} rules are held by tests that run
the real programs and look at what a user sees.

${chapters.join("\n")}`;
}

function links(files: readonly string[]): string {
  if (files.length === 0) return "not yet";
  return files.map((path) => `[${path.slice(path.lastIndexOf("/") + 1)}](../${path})`).join(", ");
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "\\<");
}
