import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesBelow, importsBelow } from "../test/kit/architecture/import-graph.ts";
import { MUTATIONS } from "./mutations/table.ts";
import { claimsIn, type Claim } from "../test/specification/claims.ts";
import { SECTIONS, type RuleName } from "../test/kit/specification/rules.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDERS = ["packages", "src", "test"];
/** Where claims are defined, not made. */
const MECHANISM: ReadonlySet<string> = new Set([
  "test/kit/specification/proves.ts",
  "test/specification/claims.ts",
  "test/specification/claims.test.ts",
]);

/** An assertion that proves a rule: what it looks at, the file that it stands in, and the files that run it. */
export interface Proven extends Claim {
  readonly file: string;
  readonly runs: readonly string[];
}

/** The assertions of each rule of the contract. */
export function coverage(): ReadonlyMap<RuleName, readonly Proven[]> {
  const runsOf = testsByFile();
  const all = filesBelow(ROOT, FOLDERS).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    if (!text.includes("proves(") || MECHANISM.has(file)) return [];
    return claimsIn(file, text).map((claim): Proven => ({ ...claim, file, runs: runsOf(file) }));
  });
  const names = SECTIONS.flatMap(({ rules }): readonly RuleName[] => rules);
  return new Map(names.map((name) => [name, all.filter(({ rule }) => rule === name)]));
}

/** Whether all that proves a rule needs a real Kubernetes. */
function needsReal(proofs: readonly Proven[]): boolean {
  return proofs.length > 0 && proofs.every(({ runs }) => runs.every(isReal));
}

/** The page docs/specification.md: each rule of the contract, what is looked at, and the tests that do. */
export function specificationPage(): string {
  const found = coverage();
  const all = [...found.values()];
  const held = all.filter((proofs) => proofs.length > 0).length;
  const real = all.filter(needsReal).length;
  const chapters = SECTIONS.map(({ title, rules }) => {
    const rows = rules.map((name) => row(name, found.get(name) ?? []));
    return `## ${title}\n\n| Rule | What the assertion looks at | Tests |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# The upgrade procedure, rule by rule

Generated from \`test/kit/specification/rules.ts\` and the tests by \`npm run generate\`. ${held} of ${all.length} rules are held.

A rule counts as held by an assertion that names it (\`proves\` of \`test/kit/specification/proves.ts\`) and fails without the behaviour. The
second column says what that assertion looks at in the running programs, each line being one assertion; "(real)" ends those that need a
real Kubernetes.

**Real only** marks the ${real} rules that only a real Kubernetes can prove. Their tests are skipped where there is none. These commands
build one and run them; the second one has three nodes and runs containers:

\`\`\`console
npm run kube-assets -- api && npm test -- ${[
    ...new Set(
      all
        .filter(needsReal)
        .flat()
        .flatMap(({ runs }) => runs),
    ),
  ]
    .filter((path) => path.endsWith(".test.ts"))
    .sort()
    .join(" ")}
npm run e2e:kubernetes
\`\`\`

## Samples

\`npm run test:mutations\` removes each of these behaviours from a copy of the repository and runs the test, which has to fail
([testing](testing.md#mutations)).

| Rule | Without the behaviour | Test |
|---|---|---|
${MUTATIONS.map(({ rule, removes, test }) => `| ${escape(rule)} | ${escape(removes)} | ${link(test)} |`).join("\n")}

${chapters.join("\n")}`;
}

function row(name: RuleName, proofs: readonly Proven[]): string {
  const looks = proofs.map((proof) => `${escape(proof.looksAt)}${needsReal([proof]) ? " (real)" : ""}`);
  const runs = [...new Set(proofs.flatMap((proof) => proof.runs))].sort();
  const mark = needsReal(proofs) ? " **Real only**" : "";
  return `| ${escape(name)}${mark} | ${looks.length === 0 ? "not yet" : looks.join("<br>")} | ${runs.map(link).join(", ")} |`;
}

function link(path: string): string {
  return `[${path.split("/").slice(-2).join("/")}](../${path})`;
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "\\<");
}

function isReal(path: string): boolean {
  return path.endsWith("/real.test.ts") || path === E2E;
}

/** Started by `npm run e2e:kubernetes`, not as a test file. */
const E2E = "test/kubernetes/e2e/e2e.ts";

/** Which files that are run reach a file by their imports. */
function testsByFile(): (file: string) => readonly string[] {
  const importers = new Map<string, string[]>();
  for (const { file, target } of importsBelow(ROOT, FOLDERS))
    importers.set(target, [...(importers.get(target) ?? []), file]);
  return (file) => {
    const reached = new Set([file]);
    for (const one of reached) for (const importer of importers.get(one) ?? []) reached.add(importer);
    return [...reached].filter((one) => one.endsWith(".test.ts") || one === E2E).sort();
  };
}
