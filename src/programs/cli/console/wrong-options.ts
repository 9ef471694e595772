import type { Command } from "commander";

/** All that is wrong with the options of a command, and its usage: commander stops at the first thing. Empty when there is no more than that. */
export function wrongOptions(command: Command, name: string, args: readonly string[]): string {
  const unknown = args.filter((word) => /^--?[a-z]/i.test(word) && !isKnown(command, word));
  const missing = command.options.filter(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
  const problems = [
    ...unknown.map((word) => `unknown option '${word}'${hintFor(command, word)}`),
    ...missing.map(({ flags }) => `required option '${flags}' not specified`),
  ];
  const isMore = problems.length > 1 || problems.some((problem) => problem.includes(": "));
  return isMore ? `${problems.join("; ")}; usage: ${name} ${command.usage()}` : "";
}

function isKnown(command: Command, word: string): boolean {
  const [flag = ""] = word.split("=");
  return ["-h", "--help"].includes(flag) || command.options.some(({ short, long }) => flag === short || flag === long);
}

/** Other commands have an option of that name. */
function hintFor(command: Command, word: string): string {
  const isArgument = command.registeredArguments.some((argument) => argument.name() === "cluster");
  return word.startsWith("--cluster") && isArgument ? ": the name of the cluster stands alone" : "";
}
