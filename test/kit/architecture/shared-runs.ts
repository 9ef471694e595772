import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The same lines in two places: `lines` of them, from the named line of each file on. */
export interface SharedRun {
  readonly lines: number;
  readonly first: string;
  readonly second: string;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

interface Place {
  readonly file: string;
  readonly lines: readonly Line[];
  readonly start: number;
}

/** Runs of more than `most` lines that two places of `files` share. Blank lines, comments and imports do not count. */
export function sharedRuns(root: string, files: readonly string[], most: number): readonly SharedRun[] {
  const seen = new Map<string, Place>();
  const runs: SharedRun[] = [];
  for (const file of files) {
    const lines = linesOf(readFileSync(join(root, file), "utf8"));
    for (let start = 0; start + most < lines.length; start += 1) {
      const key = textOf(lines, start, most + 1);
      const earlier = seen.get(key);
      if (earlier === undefined) {
        seen.set(key, { file, lines, start });
        continue;
      }
      const length = lengthOf(earlier, { file, lines, start });
      runs.push({ lines: length, first: named(earlier), second: named({ file, lines, start }) });
      start += length - 1;
    }
  }
  return runs;
}

function lengthOf(one: Place, other: Place): number {
  let length = 0;
  while (
    one.lines[one.start + length] !== undefined &&
    one.lines[one.start + length]?.text === other.lines[other.start + length]?.text
  )
    length += 1;
  return length;
}

function linesOf(text: string): readonly Line[] {
  const withoutImports = text.replace(/^(import|export) [^;]*? from "[^"]*";$/gm, (found) =>
    found.replace(/[^\n]/g, ""),
  );
  return withoutImports
    .split("\n")
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== "" && !/^(\/\/|\/\*|\*)/.test(line.text));
}

function textOf(lines: readonly Line[], start: number, count: number): string {
  return lines
    .slice(start, start + count)
    .map(({ text }) => text)
    .join("\n");
}

function named({ file, lines, start }: Place): string {
  return `${file}:${lines[start]?.number ?? 0}`;
}
