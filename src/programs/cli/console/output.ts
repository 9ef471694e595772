import { Option } from "commander";
import { stringify } from "yaml";
import { assertNever } from "#kit/base/assert-never";
import { visibleLine } from "#kit/base/visible";
import type { CliContext } from "./context.ts";

const FORMS = ["table", "json", "yaml"] as const;
type Form = (typeof FORMS)[number];

/** `-o` of a command whose answer is read by people or by programs. */
export interface OutputOption {
  readonly output: Form;
}

export function outputOption(): Option {
  return new Option("-o, --output <form>", "form of the answer").choices(FORMS).default("table");
}

/** The answer as text: `value` for programs, `table` for people, in as many columns as the terminal has. */
export function renderAnswer(
  form: Form,
  value: unknown,
  table: (columns: number) => string,
  context: Pick<CliContext, "terminal">,
): string {
  switch (form) {
    case "json":
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case "yaml":
      return stringify(JSON.parse(JSON.stringify(value)), { lineWidth: 0 });
    case "table":
      return table(columnsOf(context));
    default:
      return assertNever(form);
  }
}

/** The columns of the terminal; without bound where there is none, as in a file. */
export function columnsOf({ terminal }: Pick<CliContext, "terminal">): number {
  return terminal?.columns() ?? Infinity;
}

/** Rows under a heading, each column as wide as its longest cell; one paragraph a row where that is wider than `columns`. */
export function textTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Infinity,
): string {
  const lines = [heading, ...rows].map((line) => line.map(visibleLine));
  const widths = heading.map((_head, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const width = widths.reduce((sum, one) => sum + one, BETWEEN.length * (widths.length - 1));
  if (width > columns && rows.length > 0) return paragraphs(lines, columns);
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join(BETWEEN)
          .trimEnd()}\n`,
    )
    .join("");
}

/** A line for each value behind its name, in a column `width` wide. */
export function namedValues(rows: readonly (readonly [name: string, value: string])[], width: number): string {
  return rows.map(([name, value]) => `${name.padEnd(width)}${visibleLine(value)}\n`).join("");
}

const BETWEEN = "   ";

/** Each row as a paragraph, each cell behind its title. */
function paragraphs([heading = [], ...rows]: readonly (readonly string[])[], columns: number): string {
  const margin = Math.max(...heading.map((title) => title.length)) + 2;
  const indent = " ".repeat(margin);
  const cell = (text: string, column: number): string =>
    `${(heading[column] ?? "").padEnd(margin)}${foldText(text, indent, columns).trimStart()}`;
  return rows.map((row) => row.map(cell).join("")).join("\n");
}

/** Longer lines are hard to read. */
const LONGEST = 120;

/**
 * A text over several lines of at most `columns` characters, each after `indent`: no text of others begins a line of its own. A command that
 * ends a sentence stays whole, on a line of its own where it must, so that it can be copied.
 */
export function foldText(text: string, indent: string, columns = Infinity): string {
  const width = Math.min(LONGEST, columns);
  const lines = pieces(visibleLine(text)).reduce<string[]>((all, piece) => {
    const last = all.at(-1);
    if (last !== undefined && indent.length + last.length + piece.length < width)
      return [...all.slice(0, -1), `${last} ${piece}`];
    return [...all, piece];
  }, []);
  return lines.map((line) => `${indent}${line}\n`).join("");
}

/** Words, and commands as one piece each. */
function pieces(text: string): readonly string[] {
  return text.split(/(?<=;) /).flatMap((sentence) => {
    const command = COMMAND.exec(sentence);
    if (command === null) return sentence.split(" ");
    const before = sentence.slice(0, command.index).trimEnd();
    return [...(before === "" ? [] : before.split(" ")), command[0]];
  });
}

/** As the remedies write it: behind a colon, or at the beginning of a sentence. */
const COMMAND = /(?:(?<=: )|^)(?:kubectl|curl|storectl|sed) .*$/;
