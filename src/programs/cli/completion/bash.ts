import { longOptions, stepsTo, optionsWithValue, type OptionWord, type CommandPlace } from "./places.ts";

/** The script that teaches bash; `name` is the program. Needs bash 3.2 or later and nothing else. */
export function bashScript(name: string, places: readonly CommandPlace[]): string {
  return `# ${name} completion for bash
_${name}() {
  local word at="" cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${stepsTo(places).join(" | ")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at/$prev" in
${places.flatMap(optionCases).join("")}  esac
  case "$at" in
${places.map(placeCase).join("")}  esac
}
complete -o bashdefault -o default -F _${name} ${name} kubectl-store
`;
}

function optionCases({ at, options }: CommandPlace): readonly string[] {
  return optionsWithValue(options).map(
    (option) => `    ${option.names.map((name) => `"${at}/${name}"`).join(" | ")}) ${valuesOf(option)} return ;;\n`,
  );
}

/** With no candidates bash falls back to files. */
function valuesOf({ takes, choices }: OptionWord): string {
  if (takes === "choice") return `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur"));`;
  return takes === "file" ? 'COMPREPLY=($(compgen -f -- "$cur"));' : "COMPREPLY=();";
}

function placeCase({ at, commands, options, choices }: CommandPlace): string {
  const words = [...commands.map(({ name }) => name), ...choices];
  const spelled = longOptions(options).map(({ name }) => name);
  return `    "${at}")
      if [[ "$cur" == -* ]]; then
        COMPREPLY=($(compgen -W "${spelled.join(" ")}" -- "$cur"))
      else
        COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$cur"))
      fi
      ;;
`;
}
