/** What a person sees while the story runs. */
export interface Progress {
  /** A new part of the story begins. */
  chapter(title: string): void;
  /** Something that happened and stays on the screen. */
  say(text: string): void;
  /** What is going on right now: replaces the line before it on a terminal; printed elsewhere only when `text` changes. */
  now(text: string): void;
}

export interface Terminal {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
}

const CLEAR_LINE = "\r\u001b[2K";

/** Each line carries the time since the start, as minutes and seconds. */
export function terminalProgress(terminal: Terminal, elapsedMs: () => number): Progress {
  let live = "";
  const line = (text: string): void => {
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
      if (!terminal.isTTY) {
        line(`  ${stamp(elapsedMs())}  ${text}`);
      } else {
        terminal.write(
          `${CLEAR_LINE}  ${stamp(elapsedMs())}  ${text}`.slice(
            0,
            Math.max(20, terminal.columns - 1) + CLEAR_LINE.length,
          ),
        );
      }
      live = text;
    },
  };
}

function stamp(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
