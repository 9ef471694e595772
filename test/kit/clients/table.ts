import { NAMES, type LibraryName } from "./libraries.ts";
import type { Ended } from "./ended.ts";
import type { Moved } from "./moved.ts";
import type { ReshapedClient } from "./reshaped.ts";

/** What the page docs/upgrades.md says of a library. */
export interface PageRow {
  readonly version: string;
  /** Whether a write whose connection ends is sent again: without an option, and with the settings of the page. */
  readonly isSentAgain: { readonly default: boolean; readonly several: boolean };
}

/** What runs say of a library, without an option and with the settings of the page. */
export interface RunRow {
  readonly name: LibraryName;
  readonly version: string;
  readonly ended: { readonly default: Ended; readonly several: Ended };
  readonly moved: { readonly default: Moved; readonly several: Moved };
}

const COLUMNS: readonly string[] = [
  "Library",
  "Version",
  "A write whose connection ends",
  "with the settings below",
  "Failed in an upgrade and a roll",
  "with the settings below",
  "Longest answer",
];
const AGAIN = "is sent again";

/** The rows of the page by library; throws when a row names none of the kit. */
export function rowsOf(page: string): ReadonlyMap<LibraryName, PageRow> {
  const start = page.indexOf(line(COLUMNS));
  if (start < 0) throw new Error(`the page has no table with the columns ${COLUMNS.join(", ")}`);
  const [, , ...rows] = (page.slice(start).split("\n\n")[0] ?? "").trimEnd().split("\n");
  return new Map(
    rows.map((row) => {
      const [, text = "", version = "", first = "", second = ""] = row.split("|").map((cell) => cell.trim());
      const name = NAMES.find((one) => one === text);
      if (name === undefined) throw new Error(`the kit has no client of ${text}`);
      return [name, { version, isSentAgain: { default: first.startsWith(AGAIN), several: second.startsWith(AGAIN) } }];
    }),
  );
}

/** The table as the page has it. */
export function tableOf(rows: readonly RunRow[]): string {
  return [line(COLUMNS), line(COLUMNS.map(() => "---")), ...rows.map(rowText)].join("\n");
}

/** What the page docs/shards.md shows of clients while their database gets other numbers of shards. */
export function reshapedTableOf(rows: readonly (ReshapedClient & { readonly version: string })[]): string {
  const columns = ["Library", "Version", "As", "Failed", "Longest answer"];
  const cells = rows.map((row) => [row.name, row.version, row.mode, movedText(row), `${row.longestMs} ms`]);
  return [line(columns), line(columns.map(() => "---")), ...cells.map((row) => line(row))].join("\n");
}

/** Requests that failed; exchanges, which the application repeats from the read, are not among them. */
export function failedOf({ failures, operations }: Moved): number {
  return failures.length - operations.filter(({ end, act }) => end === undefined && act.kind === "exchange").length;
}

/** What the page says below a heading with the name of the library: the lines of its block of code; none without one. */
export function settingsOf(page: string, name: LibraryName): readonly string[] {
  const section = page.split(`\n#### ${name}\n`)[1]?.split("\n#")[0];
  const block = section?.split("```")[1];
  return block === undefined ? [] : block.split("\n").slice(1, -1);
}

function rowText({ name, version, ended, moved }: RunRow): string {
  const longest = Math.max(moved.default.longestMs, moved.several.longestMs);
  return line([
    ...[name, version, endedText(ended.default), endedText(ended.several)],
    ...[movedText(moved.default), movedText(moved.several), `${longest} ms`],
  ]);
}

function endedText({ outcome, backAfterMs }: Ended): string {
  if (outcome === "sent again") return `${AGAIN}, answer after ${backAfterMs} ms`;
  return `fails: \`${shorten(outcome.error)}\`; next answer after ${backAfterMs} ms`;
}

/** Without the package of the error and what varies. */
function shorten(error: string): string {
  return (
    /^[^.(`]*/
      .exec(error.replace(/^(?:[a-z]+\.)+/, ""))
      ?.join("")
      .trim() ?? error
  );
}

function movedText(moved: Moved): string {
  const requests = new Intl.NumberFormat("en").format(moved.operations.length);
  return `${failedOf(moved)} of ${requests}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}
