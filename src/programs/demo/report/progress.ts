/** What a user sees while the scenario runs. */
export interface Progress {
  /** A new part of the scenario begins. */
  section(title: string): void;
  /** Something has happened. The line stays on the screen. */
  report(text: string): void;
  /** The present state. On a terminal it replaces the line before it; elsewhere it is printed only after a long silence. */
  update(text: string): void;
}

/** Where the progress is printed. */
export interface Terminal {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
}

/** Without a terminal, the present state is printed at least this often, in milliseconds. */
const MAX_SILENCE_MS = 10_000;
const CLEAR_LINE = "\r\u001b[2K";

/** Each line carries the time since the start, as minutes and seconds. */
export function terminalProgress(terminal: Terminal, elapsedMs: () => number): Progress {
  let live = "";
  let printedAt = 0;
  const line = (text: string): void => {
    printedAt = elapsedMs();
    terminal.write(`${live !== "" && terminal.isTTY ? CLEAR_LINE : ""}${text}\n`);
    live = "";
  };
  return {
    section: (title) => {
      line(`\n${title}`);
    },
    report: (text) => {
      line(`  ${stamp(elapsedMs())}  ${text}`);
    },
    update: (text) => {
      if (text === live) return;
      const whole = `  ${stamp(elapsedMs())}  ${text}`;
      if (terminal.isTTY) {
        terminal.write(CLEAR_LINE + whole.slice(0, Math.max(20, terminal.columns - 1)));
        live = text;
      } else if (elapsedMs() - printedAt >= MAX_SILENCE_MS) line(whole);
    },
  };
}

function stamp(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
