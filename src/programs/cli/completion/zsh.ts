import {
  longOptions,
  stepsTo,
  optionsWithValue,
  type OptionWord,
  type CommandPlace,
  type CompletionWord,
} from "./places.ts";

/** The script that teaches zsh, as a file \`_<name>\` on \`fpath\` or by \`source\`. */
export function zshScript(name: string, places: readonly CommandPlace[]): string {
  return `#compdef ${name} kubectl-store
_${name}() {
  local word at="" prev="\${words[CURRENT-1]}"
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${stepsTo(places).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at/$prev" in
${places.flatMap(optionCases).join("")}  esac
  case "$at" in
${places.map(placeCase).join("")}  esac
  _describe '${name}' candidates
}
compdef _${name} ${name} kubectl-store
`;
}

function optionCases({ at, options }: CommandPlace): readonly string[] {
  return optionsWithValue(options).map(
    (option) => `    (${option.names.map((name) => `"${at}/${name}"`).join("|")}) ${valuesOf(option)}; return ;;\n`,
  );
}

function valuesOf({ takes, choices }: OptionWord): string {
  if (takes === "choice") return `compadd -- ${choices.join(" ")}`;
  return takes === "file" ? "_files" : "return";
}

function placeCase({ at, commands, options, choices }: CommandPlace): string {
  const words: readonly CompletionWord[] = [
    ...commands,
    ...choices.map((name) => ({ name, description: "" })),
    ...longOptions(options),
  ];
  const said = words.map(
    ({ name, description }) => `'${name}:${description.replaceAll("'", "’").replaceAll(":", "\\\\:")}'`,
  );
  return `    ("${at}") candidates=(${said.join(" ")}) ;;\n`;
}
