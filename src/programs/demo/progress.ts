/** What a person sees while the story runs. */
export interface Progress {
  /** A new part of the story begins. */
  chapter(title: string): void;
  /** Something that happened and stays on the screen. */
  say(text: string): void;
  /** What is going on right now: replaces the line before it on a terminal; elsewhere a line only after a long silence. */
  now(text: string): void;
}

export interface Terminal {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
}

/** Away from a terminal somebody may read along: a sign of life at least this often, in milliseconds. */
const SIGN_OF_LIFE_MS = 10_000;
const CLEAR_LINE = "\r\u001b[2K";

/** Each line carries the time since the start, as minutes and seconds. */
export function terminalProgress(terminal: Terminal, elapsedMs: () => number): Progress {
  let live = "";
  let spokeAt = 0;
  const line = (text: string): void => {
    spokeAt = elapsedMs();
    terminal.write(`${live !== "" && terminal.isTTY ? CLEAR_LINE : ""}${text}\n`);
    live = "";
  };
  return {
    chapter: (title) => {
      line(`\n${title}`);
    },
    say: (text) => {
      line(`  ${stamp(elapsedMs())}  ${text}`);
    },
    now: (text) => {
      if (text === live) return;
      const whole = `  ${stamp(elapsedMs())}  ${text}`;
      if (terminal.isTTY) {
        terminal.write(CLEAR_LINE + whole.slice(0, Math.max(20, terminal.columns - 1)));
        live = text;
      } else if (elapsedMs() - spokeAt >= SIGN_OF_LIFE_MS) line(whole);
    },
  };
}

function stamp(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
