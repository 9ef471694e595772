import type { Command, Option } from "commander";

/** What may be typed at one place of the command line: after `storectl`, `storectl modules` and so on. */
export interface CommandPlace {
  /** The commands before, joined by a blank; empty at the beginning. */
  readonly at: string;
  readonly commands: readonly CompletionWord[];
  readonly options: readonly OptionWord[];
  /** What the first argument may be, where that is known. */
  readonly choices: readonly string[];
}

export interface CompletionWord {
  readonly name: string;
  readonly description: string;
}

export interface OptionWord {
  /** Each spelling, for instance `-o` and `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** What follows it. */
  readonly takes: "nothing" | "choice" | "file" | "text";
  readonly choices: readonly string[];
}

/** Every place of a program, the outermost first. */
export function placesOf(program: Command): readonly CommandPlace[] {
  return placesBelow(program, "");
}

function placesBelow(command: Command, at: string): readonly CommandPlace[] {
  const place: CommandPlace = {
    at,
    commands: command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: [...command.options.map(wordOf), HELP],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [place, ...command.commands.flatMap((each) => placesBelow(each, `${at} ${each.name()}`.trim()))];
}

/** What a shell compares with the commands before and the word that follows, for each place but the outermost; quoted. */
export function stepsTo(places: readonly CommandPlace[]): readonly string[] {
  return places.filter(({ at }) => at !== "").map(({ at }) => (at.includes(" ") ? `"${at}"` : `" ${at}"`));
}

/** The options that a value follows. */
export function optionsWithValue(options: readonly OptionWord[]): readonly OptionWord[] {
  return options.filter(({ takes }) => takes !== "nothing");
}

/** The long spellings of options. */
export function longOptions(options: readonly OptionWord[]): readonly CompletionWord[] {
  return options.flatMap(({ names, description }) =>
    names.filter((name) => name.startsWith("--")).map((name) => ({ name, description })),
  );
}

const HELP: OptionWord = { names: ["--help"], description: "display help for command", takes: "nothing", choices: [] };

function wordOf({ short, long, description, flags, argChoices = [] }: Option): OptionWord {
  const names = [short, long].filter((name) => name !== undefined);
  return { names, description, takes: takenBy(flags, argChoices), choices: argChoices };
}

function takenBy(flags: string, choices: readonly string[]): OptionWord["takes"] {
  if (choices.length > 0) return "choice";
  if (!/[<[]/.test(flags)) return "nothing";
  return /<(file|folder)>/.test(flags) ? "file" : "text";
}
