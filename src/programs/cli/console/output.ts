import { Option } from "commander";
import { stringify } from "yaml";
import { assertNever } from "../../../core/base/assert-never.ts";
import { visibleLine } from "../../../core/base/visible.ts";

const FORMS = ["table", "json", "yaml"] as const;
type Form = (typeof FORMS)[number];

/** `-o` of a command whose answer is read by people or by programs. */
export interface OutputOption {
  readonly output: Form;
}

export function outputOption(): Option {
  return new Option("-o, --output <form>", "form of the answer").choices(FORMS).default("table");
}

/** The answer as text: `value` for programs, `table` for people. */
export function rendered(form: Form, value: unknown, table: () => string): string {
  switch (form) {
    case "json":
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case "yaml":
      return stringify(JSON.parse(JSON.stringify(value)), { lineWidth: 0 });
    case "table":
      return table();
    default:
      return assertNever(form);
  }
}

/** Rows under a heading, each column as wide as its longest cell. */
export function textTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows].map((line) => line.map(visibleLine));
  const widths = heading.map((_head, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** A sentence over several lines of at most `width` characters, each after `indent`. */
export function folded(text: string, indent: string, width = 120): string {
  const lines = text.split(" ").reduce<string[]>((all, word) => {
    const last = all.at(-1);
    if (last !== undefined && indent.length + last.length + word.length < width)
      return [...all.slice(0, -1), `${last} ${word}`];
    return [...all, word];
  }, []);
  return lines.map((line) => `${indent}${line}\n`).join("");
}
