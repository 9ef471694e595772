import type { OptionWord, CommandPlace } from "./places.ts";

/** The script that teaches fish. */
export function fishScript(name: string, places: readonly CommandPlace[]): string {
  const known = places.filter(({ at }) => at !== "").map(({ at }) => quoteForFish(at));
  return `# ${name} completion for fish
function __${name}_at
  set -l at
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$at $word")
    contains -- "$next" ${known.join(" ")}; and set at $next
  end
  test "$at" = "$argv[1]"
end
complete -c ${name} -f
${places.flatMap((place) => linesOf(name, place)).join("")}`;
}

function linesOf(name: string, { at, commands, options, choices }: CommandPlace): readonly string[] {
  const here = `complete -c ${name} -n "__${name}_at '${at}'"`;
  return [
    ...commands.map((word) => `${here} -a ${quoteForFish(word.name)} -d ${quoteForFish(word.description)}\n`),
    ...choices.map((choice) => `${here} -a ${quoteForFish(choice)}\n`),
    ...options.map((option) => `${here} ${optionOf(option)} -d ${quoteForFish(option.description)}\n`),
  ];
}

function optionOf({ names, takes, choices }: OptionWord): string {
  const spelled = names
    .map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
    .join(" ");
  if (takes === "choice") return `${spelled} -x -a ${quoteForFish(choices.join(" "))}`;
  if (takes === "nothing") return spelled;
  return `${spelled} ${takes === "file" ? "-r -F" : "-x"}`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
