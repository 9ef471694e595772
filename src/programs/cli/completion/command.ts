import { Argument, Command } from "commander";
import { assertNever } from "#kit/base/assert-never";
import type { CliContext } from "../console/context.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { placesOf, type CommandPlace } from "./places.ts";
import { zshScript } from "./zsh.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** `storectl completion`: a script that teaches a shell what may be typed, made of the commands themselves. */
export function completionCommand({ print }: CliContext): Command {
  return new Command("completion")
    .description("print the script that lets a shell complete commands and options")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell, _options: object, command: Command) => {
      print(scriptFor(shell, placesOf(command.parent ?? command)));
    })
    .addHelpText(
      "after",
      `
bash   source <(storectl completion bash)          # for every session: append this line to ~/.bashrc
zsh    source <(storectl completion zsh)           # after compinit; for every session: append it to ~/.zshrc
fish   storectl completion fish | source           # for every session: > ~/.config/fish/completions/storectl.fish
`,
    );
}

function scriptFor(shell: Shell, places: readonly CommandPlace[]): string {
  switch (shell) {
    case "bash":
      return bashScript("storectl", places);
    case "zsh":
      return zshScript("storectl", places);
    case "fish":
      return fishScript("storectl", places);
    default:
      return assertNever(shell);
  }
}
