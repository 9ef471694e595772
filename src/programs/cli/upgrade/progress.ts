import type { CliContext } from "../console/context.ts";
import { durationText } from "../console/units.ts";
import { visibleLine } from "#kit/base/visible";

/** One line that says how far a step is. */
export interface ProgressLine {
  /** Shows how far it is: over what was shown at a terminal, as a new line when it differs elsewhere. */
  show(bar: Bar): void;
  /** Leaves the last line as it is. */
  end(): void;
}

export interface Bar {
  readonly done: number;
  readonly of: number;
  /** What is counted. */
  readonly what: string;
  /** What is waited for; empty when that is not known. */
  readonly now: string;
}

const INDENT = "   ";
const WIDTH = 20;
/** In fewer columns there is room for what is waited for, and for nothing else. */
const WITH_BAR = 100;

/** A line that moves at a terminal, with the time that has passed; plain lines elsewhere. */
export function progressLine({
  print,
  clock,
  terminal,
}: Pick<CliContext, "print" | "clock" | "terminal">): ProgressLine {
  const begun = clock.uptimeMs();
  let shown = "";
  return {
    show(bar) {
      const line = visibleLine(`${INDENT}${barText(bar)} ${bar.done} of ${bar.of} ${countedText(bar)}`);
      if (terminal === undefined) {
        if (line !== shown) print(`${line}\n`);
      } else {
        const columns = terminal.columns();
        const since = ` (${durationText((clock.uptimeMs() - begun) / 1_000)})`;
        const fitting = columns < WITH_BAR ? `${bar.done}/${bar.of}  ${bar.now || bar.what}` : line;
        // a longer line would wrap, and only its last row be taken back
        print(`${CLEAR}${shortenLine(fitting, columns - since.length - 1)}${since}`);
      }
      shown = line;
    },
    end() {
      if (terminal !== undefined && shown !== "") print("\n");
    },
  };
}

/** Back to the beginning of the line, and all of it away. */
export const CLEAR = "\r\u001b[2K";

function barText({ done, of }: Bar): string {
  const full = of === 0 ? WIDTH : Math.round((done / of) * WIDTH);
  return `[${"#".repeat(full)}${" ".repeat(WIDTH - full)}]`;
}

/** What is counted, and what is waited for. */
export function countedText({ what, now }: Pick<Bar, "what" | "now">): string {
  return now === "" ? what : `${what}: ${now}`;
}

function shortenLine(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
